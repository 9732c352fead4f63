// expect: hybrid
// F30: first-order recurrence with varying coefficients.
void linear_recurrence(int n, double *p, const double *q, const double *r) {
    for (int i = 1; i < n; i++)
        p[i] = q[i] * p[i - 1] + r[i];
}
