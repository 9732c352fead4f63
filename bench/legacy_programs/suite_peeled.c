// expect: loop-free
// First and last iteration peeled off a smoothing loop.
void suite_peeled(int n, const double *x, double *y) {
    y[0] = x[0];
    for (int i = 1; i < n - 1; i++)
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0;
    y[n - 1] = x[n - 1];
}
