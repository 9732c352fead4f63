// expect: loop-free
// A product of matrices tile by tile, the last tiles cut off where the matrices end.
#define TILE 8
#define MIN(a, b) ((a) < (b) ? (a) : (b))

void matmul_cut_tiles(int n, double a[n][n], double b[n][n], double c[n][n]) {
    for (int ii = 0; ii < n; ii += TILE)
        for (int jj = 0; jj < n; jj += TILE)
            for (int kk = 0; kk < n; kk += TILE)
                for (int i = ii; i < MIN(ii + TILE, n); i++)
                    for (int j = jj; j < MIN(jj + TILE, n); j++)
                        for (int k = kk; k < MIN(kk + TILE, n); k++)
                            c[i][j] += a[i][k] * b[k][j];
}
