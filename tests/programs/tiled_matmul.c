// expect: loop-free
// Matrix product in tiles of eight, with the rest at the borders.
void tiled_matmul(int n, double a[n][n], double b[n][n], double c[n][n]) {
    for (int ii = 0; ii < n; ii += 8)
        for (int jj = 0; jj < n; jj += 8)
            for (int i = ii; i < (ii + 8 < n ? ii + 8 : n); i++)
                for (int j = jj; j < (jj + 8 < n ? jj + 8 : n); j++) {
                    c[i][j] = 0.0;
                    for (int k = 0; k < n; k++)
                        c[i][j] += a[i][k] * b[k][j];
                }
}
