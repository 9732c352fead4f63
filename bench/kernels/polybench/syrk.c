// syrk: C'(i,j) = beta * C(i,j) + sum_k alpha * A(i,k) * A(j,k) for j in [0,i]; above the diagonal unchanged.
void kernel_syrk(int n, int m, double alpha, double beta, double C[n][n], double A[n][m]) {
    int i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (k = 0; k < m; k++)
            for (j = 0; j <= i; j++)
                C[i][j] += alpha * A[i][k] * A[j][k];
    }
}
