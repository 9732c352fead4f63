void mlp_layer(int n, int m, int k, double x[n][k], double w[k][m], double b[m], double y[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double sum = b[j];
      for (int p = 0; p < k; p++)
        sum += x[i][p] * w[p][j];
      y[i][j] = sum > 0 ? sum : 0;
    }
}
