// expect: loop-free
// A maximum that must not run over an empty row.
void empty_when_small(int n, int m, double a[n][m], double o[n]) {
    for (int i = 0; i < n; i++) {
        o[i] = 0.0;
        for (int j = 0; j < m; j++)
            if (a[i][j] > o[i])
                o[i] = a[i][j];
    }
}
