// expect: loop-free
// A loop with step two that stops before the end: with two cells it does nothing.
void every_second_until_before_last(int n, const int p[n], int u[n]) {
    for (int i = 0; i < n - 2; i += 2)
        u[i] = p[i];
}
