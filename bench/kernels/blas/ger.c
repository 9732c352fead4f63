// ger: a'(i,j) = a(i,j) + x(i) * y(j).
void ger(int m, int n, int *x, int *y, int *a) {
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            a[i * n + j] += x[i] * y[j];
        }
    }
}
