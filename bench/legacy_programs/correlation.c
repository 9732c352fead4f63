// expect: loop-free
// Cross correlation for a range of lags.
void correlation(const double *a, const double *b, double *r, int n, int lags) {
    for (int l = 0; l < lags; l++) {
        r[l] = 0.0;
        for (int i = 0; i < n; i++)
            r[l] += a[i] * b[i + l];
    }
}
