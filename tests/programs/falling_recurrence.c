// expect: loop-free
// F03: a falling loop reads two cells below, still old.
void falling_recurrence(int n, double *p, const double *q) {
    for (int i = n - 1; i >= 2; i--)
        p[i] = q[i] * p[i - 2];
}
