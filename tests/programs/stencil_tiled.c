// expect: loop-free
// One step of a stencil in tiles.
#define MIN(a, b) ((a) < (b) ? (a) : (b))

void stencil_tiled(int n, double a[n][n], double b[n][n]) {
    for (int ii = 1; ii < n - 1; ii += 16)
        for (int jj = 1; jj < n - 1; jj += 16)
            for (int i = ii; i < MIN(ii + 16, n - 1); i++)
                for (int j = jj; j < MIN(jj + 16, n - 1); j++)
                    b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}
