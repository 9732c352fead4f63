// expect: loop-free
// F13: unrolled by four up to a size that a mask rounds down, with a tail.
void trip_count_by_mask(int n, float *y, const float *x) {
    int whole = n & ~3, i;
    for (i = 0; i < whole; i += 4) {
        y[i] = 2.0f * x[i];
        y[i + 1] = 2.0f * x[i + 1];
        y[i + 2] = 2.0f * x[i + 2];
        y[i + 3] = 2.0f * x[i + 3];
    }
    for (i = whole; i < n; i++)
        y[i] = 2.0f * x[i];
}
