// expect: loop-free
// Autocorrelation: the sum is shorter for greater lags.
void autocorrelation(const float *x, float *r, int n) {
    for (int l = 0; l < n; l++) {
        float s = 0.0f;
        for (int i = 0; i < n - l; i++)
            s += x[i] * x[i + l];
        r[l] = s;
    }
}
