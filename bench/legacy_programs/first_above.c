// expect: loop-free
// Search with an early exit.
int first_above(const float *x, float limit, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] > limit)
            return i;
    return -1;
}
