// expect: loop-free
// Dot product unrolled by four, with the tail in a loop of its own.
float dot_unrolled_by_four(const float *a, const float *b, int n) {
    float sum = 0.0f;
    int i, blocks = n / 4;
    for (i = 0; i < blocks; i++) {
        sum += a[4 * i] * b[4 * i];
        sum += a[4 * i + 1] * b[4 * i + 1];
        sum += a[4 * i + 2] * b[4 * i + 2];
        sum += a[4 * i + 3] * b[4 * i + 3];
    }
    for (i = 4 * blocks; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
