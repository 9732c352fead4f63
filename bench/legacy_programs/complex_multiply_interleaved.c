// expect: loop-free
// Complex product, real and imaginary parts interleaved.
void complex_multiply_interleaved(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < n; i++) {
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}
