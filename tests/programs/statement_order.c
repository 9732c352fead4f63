// expect: loop-free
// F11: a producer that stands after its consumer in the body.
void statement_order(int n, double *p, const double *q, double *r, const double *w) {
    for (int i = 2; i < n; i++) {
        p[i] = q[i] * r[i - 2];
        r[i] = w[i] - q[i];
    }
}
