// expect: scan
// Powers of each x along a row.
void vandermonde(int n, int m, double x[n], double o[n][m]) {
    for (int i = 0; i < n; i++) {
        o[i][0] = 1.0;
        for (int j = 1; j < m; j++)
            o[i][j] = o[i][j - 1] * x[i];
    }
}
