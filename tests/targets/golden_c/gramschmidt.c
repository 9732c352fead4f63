#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void kernel_gramschmidt_lifted(ptrdiff_t m, ptrdiff_t n, double A[restrict m][n], double R[restrict n][n],
                                      double Q[restrict m][n])
{
  for (ptrdiff_t k = 0; k < n; k++) {
    double nrm = cblas_ddot(m, &A[0][k], n, &A[0][k], n);
    R[k][k] = sqrt(nrm);
    double R_cell = R[k][k];
    for (ptrdiff_t i = 0; i < m; i++)
      Q[i][k] = A[i][k] / R_cell;
    if (n >= k + 2)
      cblas_dgemv(CblasRowMajor, CblasTrans, m, n - k - 1, 1.0, &A[0][k + 1], n, &Q[0][k], n, 0.0, &R[k][k + 1], 1);
    #pragma omp parallel for if ((double)m * (n - 1) > 65536)
    for (ptrdiff_t i = 0; i < m; i++)
      #pragma omp simd
      for (ptrdiff_t j = k + 1; j < n; j++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
  }
}

void kernel_gramschmidt_original(int m, int n, double (*A)[n], double (*R)[n], double (*Q)[n]);

#ifndef TENSORLIFT_APART
#define TENSORLIFT_APART
static int apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
  return ((uintptr_t)a + a_bytes <= (uintptr_t)b) | ((uintptr_t)b + b_bytes <= (uintptr_t)a);
}
#endif

void kernel_gramschmidt(int m, int n, double (*A)[n], double (*R)[n], double (*Q)[n])
{
  if (m >= 1
      && n >= 1
      && apart(A, sizeof(double) * m * n, R, sizeof(double) * n * n)
      & apart(A, sizeof(double) * m * n, Q, sizeof(double) * m * n)
      & apart(R, sizeof(double) * n * n, Q, sizeof(double) * m * n)) {
    kernel_gramschmidt_lifted(m, n, (void *)A, (void *)R, (void *)Q);
  } else {
    kernel_gramschmidt_original(m, n, A, R, Q);
  }
}
