// expect: loop-free
// Reversed read with an offset.
void suite_reversed(int n, double *restrict a, const double *restrict b) {
    for (int i = n - 1; i >= 0; i--)
        a[i] = b[n - 1 - i] + 1.0;
}
