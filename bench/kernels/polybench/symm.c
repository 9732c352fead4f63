// symm: C' = beta * C + alpha * S B, S the symmetric matrix given by the lower triangle of A.
void kernel_symm(int m, int n, double alpha, double beta, double C[m][n], double A[m][m], double B[m][n]) {
    int i, j, k;
    double temp;
    for (i = 0; i < m; i++)
        for (j = 0; j < n; j++) {
            temp = 0;
            for (k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                temp += B[k][j] * A[i][k];
            }
            C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp;
        }
}
