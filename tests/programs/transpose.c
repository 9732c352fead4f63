// expect: loop-free
// Plain transposition.
void transpose(int n, int m, double a[n][m], double o[m][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            o[j][i] = a[i][j];
}
