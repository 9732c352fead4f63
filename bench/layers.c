/* Kernels for which dialects of accelerators have operations: `python -m bench.engines --to DIALECT` lifts them. */

void gemm(int n, int m, int k, float alpha, float beta, float A[n][k], float B[k][m], float C[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] *= beta;
      for (int p = 0; p < k; p++)
        C[i][j] += alpha * A[i][p] * B[p][j];
    }
}

void matmul(int n, int m, int k, float A[n][k], float B[k][m], float C[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] = 0;
      for (int p = 0; p < k; p++)
        C[i][j] += A[i][p] * B[p][j];
    }
}

void gemv(int n, int k, float A[n][k], float x[k], float y[n]) {
  for (int i = 0; i < n; i++)
    for (int p = 0; p < k; p++)
      y[i] += A[i][p] * x[p];
}

float dot(int n, float x[n], float y[n]) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

void mlp_layer(int n, int m, int k, float X[n][k], float W[k][m], float b[m], float Y[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float s = b[j];
      for (int p = 0; p < k; p++)
        s += X[i][p] * W[p][j];
      Y[i][j] = s > 0 ? s : 0;
    }
}

void bias(int n, int m, float X[n][m], float b[m], float Y[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      Y[i][j] = X[i][j] + b[j];
}

void relu(int n, int m, float X[n][m], float Y[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      Y[i][j] = X[i][j] > 0 ? X[i][j] : 0;
}

void scale(int n, int m, float s, float X[n][m], float Y[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      Y[i][j] = s * X[i][j];
}

void axpy(int n, float a, float x[n], float y[n]) {
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

void conv2d(int n, int m, int p, int q, float I[n + p - 1][m + q - 1], float K[p][q], float O[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      O[i][j] = 0;
      for (int u = 0; u < p; u++)
        for (int v = 0; v < q; v++)
          O[i][j] += I[i + u][j + v] * K[u][v];
    }
}
