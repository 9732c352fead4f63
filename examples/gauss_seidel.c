// Gauss-Seidel sweeps towards A x = b.  Each unknown uses the values that the same sweep has just found for the ones
// before it, so that the loops over sweeps and rows must stay; only the sum within a row is a tensor operation.
void gauss_seidel(int sweeps, int n, const double a[n][n], const double b[n], double x[n]) {
    for (int s = 0; s < sweeps; s++) {
        for (int i = 0; i < n; i++) {
            double rest = b[i];
            for (int j = 0; j < n; j++) {
                if (j != i) {
                    rest -= a[i][j] * x[j];
                }
            }
            x[i] = rest / a[i][i];
        }
    }
}
