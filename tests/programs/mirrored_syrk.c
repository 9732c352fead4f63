// expect: loop-free
// Symmetric product with a mirrored store.
void mirrored_syrk(int n, int k, double A[n][k], double C[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0.0;
            for (int p = 0; p < k; p++)
                s += A[i][p] * A[j][p];
            C[i][j] = s;
            C[j][i] = s;
        }
}
