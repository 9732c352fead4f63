// expect: loop-free
// Full convolution with bounds that follow both signals.
void convolution_full(const float *a, int na, const float *b, int nb, float *y) {
    for (int i = 0; i < na + nb - 1; i++) {
        int lo = i < na ? 0 : i - na + 1;
        int hi = i < nb ? i : nb - 1;
        float s = 0;
        for (int j = lo; j <= hi; j++) s += a[i - j] * b[j];
        y[i] = s;
    }
}
