// expect: hybrid
// Exponential moving average.
void moving_average(int n, double alpha, const double *a, double *o) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s = alpha * a[i] + (1.0 - alpha) * s;
        o[i] = s;
    }
}
