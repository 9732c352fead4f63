// expect: loop-free
// Conjugate with a step of two through the buffer.
void complex_conjugate(const float *src, float *dst, int n) {
    for (int i = 0; i < 2 * n; i += 2) {
        dst[i] = src[i];
        dst[i + 1] = -src[i + 1];
    }
}
