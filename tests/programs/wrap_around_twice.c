// expect: loop-free
// F18: two levels of carried scalars, starting at the last elements.
void wrap_around_twice(int n, double *p, const double *q) {
    double last = q[n - 1], before = q[n - 2];
    for (int i = 0; i < n; i++) {
        p[i] = (q[i] + last + before) / 3.0;
        before = last;
        last = q[i];
    }
}
