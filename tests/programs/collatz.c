// expect: refused
// A while loop whose trip count nobody knows.
int collatz(int n) {
    int steps = 0;
    while (n != 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        steps++;
    }
    return steps;
}
