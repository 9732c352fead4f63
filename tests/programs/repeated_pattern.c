// expect: loop-free
// F14: a pattern of fixed length, repeated by the remainder of the index.
void repeated_pattern(const float *x, float *y, int n) {
    for (int i = 0; i < 4 * n; i++)
        y[i] = x[i % 4];
}
