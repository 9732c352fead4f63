/* Three indices, one of them summed over: the loops are in the order in which they were written down. */
void contraction(int n, int m, int p, int q, const double A[n][q][p], const double B[q][m], double C[n][m][p]) {
    for (int a = 0; a < n; a++)
        for (int d = 0; d < q; d++)
            for (int c = 0; c < p; c++)
                for (int b = 0; b < m; b++)
                    C[a][b][c] += A[a][d][c] * B[d][b];
}
