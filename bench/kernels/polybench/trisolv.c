// trisolv: L x' = b by forward substitution, L read on and below the diagonal.
void kernel_trisolv(int n, double L[n][n], double x[n], double b[n]) {
    int i, j;
    for (i = 0; i < n; i++) {
        x[i] = b[i];
        for (j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
    }
}
