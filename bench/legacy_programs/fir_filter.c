// expect: loop-free
// FIR filter over a signal with history, as DSP libraries spell it.
void fir_filter(const float *x, const float *h, float *y, int n, int taps) {
    for (int i = 0; i < n; i++) {
        float acc = 0.0f;
        for (int k = 0; k < taps; k++)
            acc += h[k] * x[i + taps - 1 - k];
        y[i] = acc;
    }
}
