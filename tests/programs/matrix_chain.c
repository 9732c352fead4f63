// expect: loop-free
// Three matrices, the product of two kept in a local array.
void matrix_chain(int n, int m, int k, double A[n][m], double B[m][k], double x[k], double y[n]) {
    double t[m];
    for (int j = 0; j < m; j++) {
        t[j] = 0.0;
        for (int p = 0; p < k; p++)
            t[j] += B[j][p] * x[p];
    }
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < m; j++)
            y[i] += A[i][j] * t[j];
    }
}
