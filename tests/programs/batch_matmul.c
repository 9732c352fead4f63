// expect: loop-free
// One matrix product for each batch.
void batch_matmul(int b, int m, int k, int n, double x[b][m][k], double y[b][k][n], double z[b][m][n]) {
    for (int h = 0; h < b; h++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                z[h][i][j] = 0.0;
                for (int p = 0; p < k; p++)
                    z[h][i][j] += x[h][i][p] * y[h][p][j];
            }
}
