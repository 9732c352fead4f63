// expect: loop-free
// Row sums up to the diagonal, in memory.
void triangular_rows(int n, double a[n][n], double o[n]) {
    for (int i = 0; i < n; i++) {
        o[i] = 0.0;
        for (int j = 0; j <= i; j++)
            o[i] += a[i][j];
    }
}
