// expect: loop-free
// F18: the scalar of the iteration before, a shift.
void wrap_around(int n, double start, double *p, const double *q, const double *r) {
    double t = start;
    for (int i = 0; i < n; i++) {
        p[i] = q[i] * t;
        t = r[i];
    }
}
