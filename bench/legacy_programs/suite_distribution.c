// expect: scan
// A recurrence beside statements that have none.
void suite_distribution(int n, float *a, float *b, const float *c, float *d) {
    for (int i = 1; i < n; i++) {
        a[i] += b[i] * c[i];
        d[i] = d[i - 1] + a[i];
        b[i] = b[i] + 1.0f;
    }
}
