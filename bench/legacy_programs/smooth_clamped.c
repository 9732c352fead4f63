// expect: loop-free
// Smoothing with indices that stop at the ends.
void smooth_clamped(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        int l = i - 1, r = i + 1;
        if (l < 0) l = 0;
        if (r > n - 1) r = n - 1;
        y[i] = x[l] + x[i] + x[r];
    }
}
