// expect: hybrid
// Rows land on strided slices that overlap: the closed form has no array operations, the row alone has.
void scatter_rows(int n, int m, const double a[n][m], double x[n + 2 * m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            x[i + 2 * j] = a[i][j];
}
