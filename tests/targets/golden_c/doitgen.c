#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void kernel_doitgen_lifted(ptrdiff_t nr, ptrdiff_t nq, ptrdiff_t np, double A[restrict nr][nq][np],
                                  const double C4[restrict np][np], double sum[restrict np],
                                  double A_before[restrict nr][nq][np])
{
  cblas_dgemv(CblasRowMajor, CblasTrans, np, np, 1.0, &C4[0][0], np, &A[nr - 1][nq - 1][0], 1, 0.0, &sum[0], 1);
  #pragma omp parallel for if ((double)nr * nq * np > 65536)
  for (ptrdiff_t l = 0; l < nr; l++)
    for (ptrdiff_t p = 0; p < nq; p++)
      #pragma omp simd
      for (ptrdiff_t q = 0; q < np; q++)
        A_before[l][p][q] = A[l][p][q];
  for (ptrdiff_t i = 0; i < nr; i++) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, nq, np, np, 1.0, &A_before[i][0][0], np, &C4[0][0], np,
        0.0, &A[i][0][0], np);
  }
}

void kernel_doitgen_original(int nr, int nq, int np, double (*A)[nq][np], double (*C4)[np], double *sum);

#ifndef TENSORLIFT_APART
#define TENSORLIFT_APART
static int apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
  return ((uintptr_t)a + a_bytes <= (uintptr_t)b) | ((uintptr_t)b + b_bytes <= (uintptr_t)a);
}
#endif

void kernel_doitgen(int nr, int nq, int np, double (*A)[nq][np], double (*C4)[np], double *sum)
{
  double *A_before = NULL;
  if (np >= 1
      && nq >= 1
      && nr >= 1
      && apart(A, sizeof(double) * nr * nq * np, C4, sizeof(double) * np * np)
      & apart(A, sizeof(double) * nr * nq * np, sum, sizeof(double) * np)
      & apart(C4, sizeof(double) * np * np, sum, sizeof(double) * np)
      && (A_before = calloc((size_t)1 * nr * nq, sizeof(double) * np)) != NULL) {
    kernel_doitgen_lifted(nr, nq, np, (void *)A, (void *)C4, (void *)sum, (void *)A_before);
    free(A_before);
  } else {
    free(A_before);
    kernel_doitgen_original(nr, nq, np, A, C4, sum);
  }
}
