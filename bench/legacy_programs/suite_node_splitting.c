// expect: loop-free
// A value is read before and after it is overwritten.
void suite_node_splitting(int n, float *a, float *b, const float *c, const float *d) {
    for (int i = 0; i < n - 1; i++) {
        a[i] = b[i] + c[i] * d[i];
        b[i] = (a[i] + a[i + 1]) * 0.5f;
    }
}
