// expect: refused
// A loop that ends at the first negative sum.
void suite_stop_at_negative(int n, float *a, const float *b, const float *c) {
    for (int i = 0; i < n; i++) {
        a[i] += b[i] * c[i];
        if (a[i] < 0.0f) break;
    }
}
