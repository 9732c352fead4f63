// expect: loop-free
// Transposition by swaps above the diagonal.
void transpose_in_place(int n, double a[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double t = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = t;
        }
}
