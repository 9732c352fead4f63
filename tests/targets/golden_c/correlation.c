#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void kernel_correlation_lifted(ptrdiff_t m, ptrdiff_t n, double float_n, double data[restrict n][m],
                                      double corr[restrict m][m], double mean[restrict m], double stddev[restrict m])
{
  for (ptrdiff_t i = 0; i < m; i++)
    mean[i] = 0.0;
  for (ptrdiff_t k = 0; k < n; k++)
    for (ptrdiff_t i = 0; i < m; i++)
      mean[i] += data[k][i];
  for (ptrdiff_t i = 0; i < m; i++)
    mean[i] = mean[i] / float_n;
  for (ptrdiff_t i = 0; i < m; i++)
    stddev[i] = 0.0;
  for (ptrdiff_t k = 0; k < n; k++)
    for (ptrdiff_t i = 0; i < m; i++) {
      const double t = data[k][i] - mean[i];
      stddev[i] += t * t;
    }
  for (ptrdiff_t i = 0; i < m; i++) {
    const double t = sqrt(stddev[i] / float_n);
    stddev[i] = t <= 0.1 ? 1.0 : t;
  }
  const double t = sqrt(float_n);
  #pragma omp parallel for if ((double)n * m > 65536)
  for (ptrdiff_t i = 0; i < n; i++)
    #pragma omp simd
    for (ptrdiff_t j = 0; j < m; j++)
      data[i][j] = (data[i][j] - mean[j]) / (t * stddev[j]);
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, m, n, 1.0, &data[0][0], m, 0.0, &corr[0][0], m);
  #pragma omp parallel for schedule(static, 8) if ((double)(m - 1) * (m - 1) > 65536)
  for (ptrdiff_t i = 1; i < m; i++)
    for (ptrdiff_t j = 0; j < i; j++)
      corr[i][j] = corr[j][i];
  for (ptrdiff_t i = 0; i < m; i++)
    corr[i][i] = 1.0;
}

void kernel_correlation_original(int m, int n, double float_n, double (*data)[m], double (*corr)[m], double *mean, double *stddev);

#ifndef TENSORLIFT_APART
#define TENSORLIFT_APART
static int apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
  return ((uintptr_t)a + a_bytes <= (uintptr_t)b) | ((uintptr_t)b + b_bytes <= (uintptr_t)a);
}
#endif

void kernel_correlation(int m, int n, double float_n, double (*data)[m], double (*corr)[m], double *mean, double *stddev)
{
  if (m >= 1
      && n >= 1
      && apart(data, sizeof(double) * n * m, corr, sizeof(double) * m * m)
      & apart(data, sizeof(double) * n * m, mean, sizeof(double) * m)
      & apart(data, sizeof(double) * n * m, stddev, sizeof(double) * m)
      & apart(corr, sizeof(double) * m * m, mean, sizeof(double) * m)
      & apart(corr, sizeof(double) * m * m, stddev, sizeof(double) * m)
      & apart(mean, sizeof(double) * m, stddev, sizeof(double) * m)) {
    kernel_correlation_lifted(m, n, float_n, (void *)data, (void *)corr, (void *)mean, (void *)stddev);
  } else {
    kernel_correlation_original(m, n, float_n, data, corr, mean, stddev);
  }
}
