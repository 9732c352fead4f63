// expect: loop-free
// A table of row pointers.
void row_pointers(int n, int m, double **a, double **b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] += b[i][j];
}
