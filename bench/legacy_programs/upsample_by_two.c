// expect: loop-free
// Insert a zero after every sample.
void upsample_by_two(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        y[2 * i] = x[i];
        y[2 * i + 1] = 0.0f;
    }
}
