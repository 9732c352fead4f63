// expect: loop-free
// F16: one scalar under two lives.
void scalar_expansion(int n, double *p, const double *q, double *r, const double *w) {
    double t;
    for (int i = 0; i < n; i++) {
        t = p[i] * q[i];
        r[i] = t + 1.0;
        p[i] = r[i] / w[i] - t;
        t = q[i] - 1.0;
        r[i] += t * t;
    }
}
