#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void kernel_gemm_lifted(ptrdiff_t ni, ptrdiff_t nj, ptrdiff_t nk, double alpha, double beta,
                               double C[restrict ni][nj], const double A[restrict ni][nk],
                               const double B[restrict nk][nj])
{
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, ni, nj, nk, alpha, &A[0][0], nk, &B[0][0], nj, beta,
      &C[0][0], nj);
}

void kernel_gemm_original(int ni, int nj, int nk, double alpha, double beta, double (*C)[nj], double (*A)[nk], double (*B)[nj]);

#ifndef TENSORLIFT_APART
#define TENSORLIFT_APART
static int apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
  return ((uintptr_t)a + a_bytes <= (uintptr_t)b) | ((uintptr_t)b + b_bytes <= (uintptr_t)a);
}
#endif

void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double (*C)[nj], double (*A)[nk], double (*B)[nj])
{
  if (ni >= 1
      && nj >= 1
      && nk >= 1
      && apart(C, sizeof(double) * ni * nj, A, sizeof(double) * ni * nk)
      & apart(C, sizeof(double) * ni * nj, B, sizeof(double) * nk * nj)) {
    kernel_gemm_lifted(ni, nj, nk, alpha, beta, (void *)C, (void *)A, (void *)B);
  } else {
    kernel_gemm_original(ni, nj, nk, alpha, beta, C, A, B);
  }
}
