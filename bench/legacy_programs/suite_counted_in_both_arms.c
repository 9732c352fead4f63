// expect: loop-free
// A second index that both arms of a condition advance.
void suite_counted_in_both_arms(int n, float *a, const float *b, const float *c, const float *d, const float *e) {
    int j = -1;
    for (int i = 0; i < n; i++) {
        if (b[i] > 0.0f) {
            j++;
            a[j] = b[i] + d[i] * e[i];
        }
        else {
            j++;
            a[j] = c[i] + d[i] * e[i];
        }
    }
}
