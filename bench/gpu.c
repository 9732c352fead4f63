/* Kernels of the sizes of real use for bench/gpu.py; with -D SINGLE in single precision. */
#include <math.h>
#ifdef SINGLE
typedef float real;
#define SQRT sqrtf
#define EXP expf
#define ERF erff
#else
typedef double real;
#define SQRT sqrt
#define EXP exp
#define ERF erf
#endif

void gemm(int m, int n, int k, real alpha, real beta, const real A[m][k], const real B[k][n], real C[m][n]) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) C[i][j] *= beta;
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++) C[i][j] += alpha * A[i][p] * B[p][j];
  }
}

void covariance(int n, int m, const real data[n][m], real mean[m], real cov[m][m]) {
  for (int j = 0; j < m; j++) {
    mean[j] = 0;
    for (int i = 0; i < n; i++) mean[j] += data[i][j];
    mean[j] /= n;
  }
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) {
      real sum = 0;
      for (int k = 0; k < n; k++) sum += (data[k][i] - mean[i]) * (data[k][j] - mean[j]);
      cov[i][j] = cov[j][i] = sum / (n - 1);
    }
}

void stencil(int steps, int m, int n, real u[m][n], real next[m][n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        next[i][j] = (real)0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++) u[i][j] = next[i][j];
  }
}

void convolution(int m, int n, const real image[m + 6][n + 6], const real weight[7][7], real out[m][n]) {
  for (int y = 0; y < m; y++)
    for (int x = 0; x < n; x++) {
      real sum = 0;
      for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) sum += image[y + i][x + j] * weight[i][j];
      out[y][x] = sum;
    }
}

void attention(int n, int d, const real Q[n][d], const real K[n][d], const real V[n][d], real S[n][n], real out[n][d]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      S[i][j] = 0;
      for (int k = 0; k < d; k++) S[i][j] += Q[i][k] * K[j][k];
      S[i][j] /= SQRT((real)d);
    }
    real largest = S[i][0], total = 0;
    for (int j = 1; j < n; j++)
      if (S[i][j] > largest) largest = S[i][j];
    for (int j = 0; j < n; j++) {
      S[i][j] = EXP(S[i][j] - largest);
      total += S[i][j];
    }
    for (int j = 0; j < n; j++) S[i][j] /= total;
    for (int k = 0; k < d; k++) out[i][k] = 0;
    for (int j = 0; j < n; j++)
      for (int k = 0; k < d; k++) out[i][k] += S[i][j] * V[j][k];
  }
}

void prefix_sum(int n, const real x[n], real total[n]) {
  real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i];
    total[i] = sum;
  }
}

void gather(int n, int m, const real x[m], const int index[n], real y[n]) {
  for (int i = 0; i < n; i++) y[i] = x[index[i]];
}

void shortest_paths(int n, real path[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (path[i][k] + path[k][j] < path[i][j]) path[i][j] = path[i][k] + path[k][j];
}

void seidel(int steps, int m, int n, real u[m][n]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[i][j] = (real)0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

/* The price of an option by the logarithm of its moneyness and a number that spreads it (Black and Scholes). */
void prices(int n, const real x[n], const real spread[n], real price[n]) {
  for (int i = 0; i < n; i++) {
    real v = SQRT((real)0.01 + spread[i] * spread[i]);
    real d = x[i] / v + v / 2;
    real first = (real)0.5 * (1 + ERF(d * (real)0.70710678118654752));
    real second = (real)0.5 * (1 + ERF((d - v) * (real)0.70710678118654752));
    price[i] = first - EXP(-x[i]) * second;
  }
}
