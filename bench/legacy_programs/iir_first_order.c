// expect: unchanged
// First-order low pass: each output needs the one before it.
void iir_first_order(const double *x, double *y, double a, int n) {
    y[0] = a * x[0];
    for (int i = 1; i < n; i++)
        y[i] = a * x[i] + (1.0 - a) * y[i - 1];
}
