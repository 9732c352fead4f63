// expect: loop-free
// F01: several operands, a square.
void elementwise_mix(int n, double *p, const double *q, const double *r, const double *w) {
    for (int i = 0; i < n; i++)
        p[i] = (p[i] - q[i]) * r[i] + w[i] * w[i];
}
