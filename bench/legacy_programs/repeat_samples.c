// expect: loop-free
// Repeat every sample: the source index is half of the target's.
void repeat_samples(const float *x, float *y, int n) {
    for (int i = 0; i < 2 * n; i++)
        y[i] = x[i / 2];
}
