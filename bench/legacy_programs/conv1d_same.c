// expect: loop-free
// Convolution that keeps the length, for any number of taps.
void conv1d_same(int n, int k, const float *x, const float *w, float *y) {
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < k; j++) {
            int p = i + j - k / 2;
            if (p >= 0 && p < n) s += x[p] * w[j];
        }
        y[i] = s;
    }
}
