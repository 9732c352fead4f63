#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void kernel_jacobi_2d_lifted(ptrdiff_t tsteps, ptrdiff_t n, double A[restrict n][n], double B[restrict n][n])
{
  for (ptrdiff_t t = 0; t < tsteps; t++) {
    #pragma omp parallel for if ((double)(n - 2) * (n - 2) > 65536)
    for (ptrdiff_t i = 1; i < n - 1; i++)
      #pragma omp simd
      for (ptrdiff_t j = 1; j < n - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
    #pragma omp parallel for if ((double)(n - 2) * (n - 2) > 65536)
    for (ptrdiff_t i = 1; i < n - 1; i++)
      #pragma omp simd
      for (ptrdiff_t j = 1; j < n - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
  }
}

void kernel_jacobi_2d_original(int tsteps, int n, double (*A)[n], double (*B)[n]);

#ifndef TENSORLIFT_APART
#define TENSORLIFT_APART
static int apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
  return ((uintptr_t)a + a_bytes <= (uintptr_t)b) | ((uintptr_t)b + b_bytes <= (uintptr_t)a);
}
#endif

void kernel_jacobi_2d(int tsteps, int n, double (*A)[n], double (*B)[n])
{
  if (n >= 2
      && tsteps >= 1
      && apart(A, sizeof(double) * n * n, B, sizeof(double) * n * n)) {
    kernel_jacobi_2d_lifted(tsteps, n, (void *)A, (void *)B);
  } else {
    kernel_jacobi_2d_original(tsteps, n, A, B);
  }
}
