// expect: loop-free
// A condition that changes in the middle of the loop.
void suite_split_in_the_middle(int n, float *a, float *b, const float *c, const float *d) {
    int mid = n / 2;
    for (int i = 0; i < n; i++) {
        a[i] += c[i] * d[i];
        if (i + 1 > mid) b[i] = b[i] + c[i] * d[i];
        else b[i] = c[i];
    }
}
