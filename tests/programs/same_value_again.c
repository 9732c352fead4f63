// expect: loop-free
// A loop with step three stores the same value over and over.
void same_value_again(int n, double a, double u[n + 3]) {
    for (int i = 0; i < n; i += 3)
        u[2] = a;
}
