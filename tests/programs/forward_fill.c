// expect: hybrid
// F19: a scalar set under a condition and carried on.
void forward_fill(int n, double start, double *p, const double *q, const double *r) {
    double t = start;
    for (int i = 0; i < n; i++) {
        if (q[i] < 0.0)
            t = r[i];
        p[i] = t - q[i];
    }
}
