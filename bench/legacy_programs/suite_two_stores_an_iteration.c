// expect: loop-free
// A second index that advances twice in each iteration.
void suite_two_stores_an_iteration(int n, float *a, const float *b, const float *c, const float *d, const float *e) {
    int j = -1;
    for (int i = 0; i < n / 2; i++) {
        j++;
        a[j] = b[i] + d[i] * e[i];
        j++;
        a[j] = c[i] + d[i] * e[i];
    }
}
