// expect: loop-free
// FIR filter that keeps every second output.
void fir_decimate(const double *x, const double *h, double *y, int n, int taps) {
    for (int i = 0; i < n; i++) {
        double acc = 0.0;
        for (int k = 0; k < taps; k++)
            acc += h[k] * x[2 * i + k];
        y[i] = acc;
    }
}
