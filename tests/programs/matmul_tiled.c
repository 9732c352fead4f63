// expect: loop-free
// A product of matrices tile by tile; the tiles cover the matrices only where 16 divides n.
void matmul_tiled(int n, const double *a, const double *b, double *c) {
    for (int ii = 0; ii < n; ii += 16)
        for (int kk = 0; kk < n; kk += 16)
            for (int i = ii; i < ii + 16; i++)
                for (int k = kk; k < kk + 16; k++)
                    for (int j = 0; j < n; j++)
                        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
