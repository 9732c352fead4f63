// Symbolic strides and steps, tiles, quadratic induction, packed triangles.
#include <math.h>

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void every_sth(int n, int s, double *a, const double *b) {
  for (int i = 0; i < n; i += s)
    a[i] = b[i] + 1.0;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void gather_stride(int n, int s, const float *a, float *c) {
  for (int i = 0; i < n; i++)
    c[i] = a[s * i] * 2.0f;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void saxpy(int n, float a, const float *x, int incx, float *y, int incy) {
  int ix = 0, iy = 0;
  for (int i = 0; i < n; i++) {
    y[iy] += a * x[ix];
    ix += incx;
    iy += incy;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double ddot(int n, const double *dx, int incx, const double *dy, int incy) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k)
    sum += dx[k * incx] * dy[k * incy];
  return sum;
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void tiled_scale(int n, int T, double alpha, double *x) {
  for (int ii = 0; ii < n; ii += T)
    for (int i = ii; i < MIN(ii + T, n); i++)
      x[i] *= alpha;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void tiled_transpose(int n, int m, int B, double a[n][m], double b[m][n]) {
  for (int ii = 0; ii < n; ii += B)
    for (int jj = 0; jj < m; jj += B)
      for (int i = ii; i < ii + B && i < n; i++)
        for (int j = jj; j < jj + B && j < m; j++)
          b[j][i] = a[i][j];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void tiled_matmul(int n, int T, double A[n][n], double B[n][n], double C[n][n]) {
  for (int i0 = 0; i0 < n; i0 += T)
    for (int j0 = 0; j0 < n; j0 += T)
      for (int k0 = 0; k0 < n; k0 += T)
        for (int i = i0; i < MIN(i0 + T, n); ++i)
          for (int j = j0; j < MIN(j0 + T, n); ++j)
            for (int k = k0; k < MIN(k0 + T, n); ++k)
              C[i][j] += A[i][k] * B[k][j];
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double block_sums(int n, int T, const double *x, double *out) {
  double total = 0.0;
  for (int b = 0; b < n / T; b++) {
    double s = 0.0;
    for (int i = b * T; i < (b + 1) * T; i++)
      s += x[i];
    out[b] = s;
    total += s;
  }
  return total;
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void quadratic(int n, double *a, const double *b) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    k += i;
    a[i] = b[k];
  }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void pack_lower(int n, double A[n][n], double *p) {
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      p[k++] = A[i][j];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void unpack_lower(int n, const double *p, double A[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      A[i][j] = p[i * (i + 1) / 2 + j];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void packed_mv(int n, const double *ap, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int j = 0; j <= i; j++)
      s += ap[i * (i + 1) / 2 + j] * x[j];
    y[i] = s;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void column_of(int n, int lda, int j, const double *a, double *c) {
  const double *p = a + j;
  for (int i = 0; i < n; i++, p += lda)
    c[i] = *p;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void backwards_by(int n, int s, double *a) {
  for (int i = n - 1; i >= 0; i -= s)
    a[i] = 0.0;
}

// expect: numpy hybrid, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void pack_rows(int n, double A[n][n], double *p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      p[i * (i + 1) / 2 + j] = A[i][j];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void strided_correlation(int h, int w, int k, int step, const float *image, const float *window, float *out) {
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      float sum = 0;
      for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++)
          sum += image[(i * step + p) * ((w - 1) * step + k) + j * step + q] * window[p * k + q];
      out[i * w + j] = sum;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void sums_of_groups(int n, int batch, int batch_offset, int groups, int group_offset, int stride, const float *x,
                    float *out) {
  for (int b = 0; b < batch; b++)
    for (int g = 0; g < groups; g++) {
      const float *first = x + b * batch_offset + g * group_offset;
      out[b * groups + g] = 0;
      for (int i = 0; i < n; i++)
        out[b * groups + g] += first[i * stride];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void both_strides(int n, const double *a, double *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[i * n + j] = a[i * (n + 1) + j] * a[i * n + j];
}
