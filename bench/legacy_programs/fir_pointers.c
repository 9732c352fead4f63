// expect: loop-free
// FIR filter through walking pointers, both registers.
void fir_pointers(const float *signal, const float *coeffs, float *out, int n, int taps) {
    register int i, k;
    for (i = 0; i < n; i++) {
        const float *restrict p = signal + i;
        const float *restrict c = coeffs;
        float sum = 0.0f;
        for (k = taps; k > 0; k--)
            sum += *p++ * *c++;
        *out++ = sum;
    }
}
