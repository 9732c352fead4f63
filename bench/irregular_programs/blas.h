// What a reference BLAS in C declares: enumerations, error handler, macros of strides and of complex numbers.
#ifndef BLAS_H
#define BLAS_H
#include <stddef.h>

#define INDEX int

enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 };
enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 };
enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 };

void cblas_xerbla(int p, const char *rout, const char *form, ...);

#define INT(X) ((int)(X))
#define OFFSET(N, incX) ((incX) > 0 ? 0 : ((N) - 1) * (-(incX)))
#define GSL_MAX(a, b) ((a) > (b) ? (a) : (b))
#define GSL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define BLAS_ERROR(x) cblas_xerbla(0, __FILE__, x);
#define CONJUGATE(x) ((x) == CblasConjTrans)

#define REAL(a, i) (((BASE *)a)[2 * (i)])
#define IMAG(a, i) (((BASE *)a)[2 * (i) + 1])
#define REAL0(a) (((BASE *)a)[0])
#define IMAG0(a) (((BASE *)a)[1])
#define CONST_REAL(a, i) (((const BASE *)a)[2 * (i)])
#define CONST_IMAG(a, i) (((const BASE *)a)[2 * (i) + 1])
#define CONST_REAL0(a) (((const BASE *)a)[0])
#define CONST_IMAG0(a) (((const BASE *)a)[1])

#define GB(KU, KL, lda, i, j) ((KU + 1 + (i - j)) * lda + j)
#define TRCOUNT(N, i) ((((i) + 1) * (2 * (N) - (i))) / 2)
#define TPUP(N, i, j) (TRCOUNT(N, (i) - 1) + (j) - (i))
#define TPLO(N, i, j) (((i) * ((i) + 1)) / 2 + (j))

#define CHECK_ORDER(pos, posIfError, order)                  \
  if (((order) != CblasRowMajor) && ((order) != CblasColMajor)) \
    pos = (posIfError);
#define CHECK_TRANSPOSE(pos, posIfError, Trans)                                                  \
  if (((Trans) != CblasNoTrans) && ((Trans) != CblasTrans) && ((Trans) != CblasConjTrans)) \
    pos = (posIfError);
#define CHECK_UPLO(pos, posIfError, Uplo)                \
  if (((Uplo) != CblasUpper) && ((Uplo) != CblasLower)) \
    pos = (posIfError);
#define CHECK_DIAG(pos, posIfError, Diag)                 \
  if (((Diag) != CblasNonUnit) && ((Diag) != CblasUnit)) \
    pos = (posIfError);
#define CHECK_SIDE(pos, posIfError, Side)                \
  if (((Side) != CblasLeft) && ((Side) != CblasRight)) \
    pos = (posIfError);
#define CHECK_DIM(pos, posIfError, dim) \
  if ((dim) < 0)                        \
    pos = (posIfError);
#define CHECK_STRIDE(pos, posIfError, stride) \
  if ((stride) == 0)                          \
    pos = (posIfError);
#define CHECK_LD(pos, posIfError, ld, dim) \
  if ((ld) < GSL_MAX(1, dim))              \
    pos = (posIfError);

#endif
