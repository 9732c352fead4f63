// expect: loop-free
// Counts with an unsigned type, which the mean and the variance divide by; short signals have none.
void variance_of_unsigned_count(const float *x, unsigned n, float *result) {
    if (n <= 1u) {
        *result = 0.0f;
        return;
    }
    float sum = 0.0f, squares = 0.0f;
    for (unsigned i = 0; i < n; i++)
        sum += x[i];
    float mean = sum / (float)n;
    for (unsigned i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    *result = squares / (float)(n - 1.0f);
}
