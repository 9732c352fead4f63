// Routines of a reference BLAS in C: strides of either sign, complex numbers as void *, an error handler.
#include <math.h>
#include "blas.h"

#define BASE double
#define INIT_VAL 0.0
#define ACC_TYPE double

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cblas_daxpy(const int N, const double alpha, const double *X, const int incX, double *Y, const int incY) {
#include "blas_axpy.h"
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cblas_dscal(const int N, const double alpha, double *X, const int incX) {
  INDEX i;
  INDEX ix;

  if (incX <= 0) {
    return;
  }

  ix = OFFSET(N, incX);

  for (i = 0; i < N; i++) {
    X[ix] *= alpha;
    ix += incX;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cblas_dswap(const int N, double *X, const int incX, double *Y, const int incY) {
  INDEX i;
  INDEX ix = OFFSET(N, incX);
  INDEX iy = OFFSET(N, incY);
  for (i = 0; i < N; i++) {
    const BASE tmp = X[ix];
    X[ix] = Y[iy];
    Y[iy] = tmp;
    ix += incX;
    iy += incY;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double cblas_ddot(const int N, const double *X, const int incX, const double *Y, const int incY) {
  ACC_TYPE r = INIT_VAL;
  INDEX i;
  INDEX ix = OFFSET(N, incX);
  INDEX iy = OFFSET(N, incY);

  for (i = 0; i < N; i++) {
    r += X[ix] * Y[iy];
    ix += incX;
    iy += incY;
  }

  return r;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
float cblas_sdsdot(const int N, const float alpha, const float *X, const int incX, const float *Y, const int incY) {
  double r = alpha;
  INDEX i;
  INDEX ix = OFFSET(N, incX);
  INDEX iy = OFFSET(N, incY);

  for (i = 0; i < N; i++) {
    r += (double)X[ix] * (double)Y[iy];
    ix += incX;
    iy += incY;
  }

  return r;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg unchanged, c hybrid
double cblas_dnrm2(const int N, const double *X, const int incX) {
  BASE scale = 0.0;
  BASE ssq = 1.0;
  INDEX i;
  INDEX ix = 0;

  if (N <= 0 || incX <= 0) {
    return 0;
  } else if (N == 1) {
    return fabs(X[0]);
  }

  for (i = 0; i < N; i++) {
    const BASE x = X[ix];

    if (x != 0.0) {
      const BASE ax = fabs(x);

      if (scale < ax) {
        ssq = 1.0 + ssq * (scale / ax) * (scale / ax);
        scale = ax;
      } else {
        ssq += (ax / scale) * (ax / scale);
      }
    }

    ix += incX;
  }

  return scale * sqrt(ssq);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double cblas_dasum(const int N, const double *X, const int incX) {
  BASE r = 0.0;
  INDEX i;
  INDEX ix = 0;

  if (incX <= 0) {
    return 0;
  }

  for (i = 0; i < N; i++) {
    r += fabs(X[ix]);
    ix += incX;
  }
  return r;
}

// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo loop-free, linalg loop-free, c loop-free
size_t cblas_idamax(const int N, const double *X, const int incX) {
  BASE max = 0.0;
  INDEX ix = 0;
  INDEX i;
  size_t result = 0;

  if (incX <= 0) {
    return 0;
  }

  for (i = 0; i < N; i++) {
    if (fabs(X[ix]) > max) {
      max = fabs(X[ix]);
      result = i;
    }
    ix += incX;
  }

  return result;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cblas_drot(const int N, double *X, const int incX, double *Y, const int incY, const double c, const double s) {
  INDEX i;
  INDEX ix = OFFSET(N, incX);
  INDEX iy = OFFSET(N, incY);
  for (i = 0; i < N; i++) {
    const BASE x = X[ix];
    const BASE y = Y[iy];
    X[ix] = c * x + s * y;
    Y[iy] = -s * x + c * y;
    ix += incX;
    iy += incY;
  }
}

// expect: numpy refused TL150, jax refused TL150, torch refused TL150, stablehlo refused TL150, linalg refused TL150, c refused TL150
void cblas_drotm(const int N, double *X, const int incX, double *Y, const int incY, const double *P) {
  INDEX n;

  INDEX i = OFFSET(N, incX);
  INDEX j = OFFSET(N, incY);

  BASE h11, h21, h12, h22;

  if (P[0] == -1.0) {
    h11 = P[1];
    h21 = P[2];
    h12 = P[3];
    h22 = P[4];
  } else if (P[0] == 0.0) {
    h11 = 1.0;
    h21 = P[2];
    h12 = P[3];
    h22 = 1.0;
  } else if (P[0] == 1.0) {
    h11 = P[1];
    h21 = -1.0;
    h12 = 1.0;
    h22 = P[4];
  } else if (P[0] == -2.0) {
    return;
  } else {
    BLAS_ERROR("unrecognized value of P[0]");
    return;
  }

  for (n = 0; n < N; n++) {
    const BASE w = X[i];
    const BASE z = Y[j];
    X[i] = h11 * w + h12 * z;
    Y[j] = h21 * w + h22 * z;
    i += incX;
    j += incY;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cblas_zaxpy(const int N, const void *alpha, const void *X, const int incX, void *Y, const int incY) {
  INDEX i;
  INDEX ix = OFFSET(N, incX);
  INDEX iy = OFFSET(N, incY);

  const BASE alpha_real = CONST_REAL0(alpha);
  const BASE alpha_imag = CONST_IMAG0(alpha);

  if (fabs(alpha_real) == 0 && fabs(alpha_imag) == 0) {
    return;
  }

  for (i = 0; i < N; i++) {
    const BASE x_real = CONST_REAL(X, ix);
    const BASE x_imag = CONST_IMAG(X, ix);
    REAL(Y, iy) += (alpha_real * x_real - alpha_imag * x_imag);
    IMAG(Y, iy) += (alpha_real * x_imag + alpha_imag * x_real);
    ix += incX;
    iy += incY;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cblas_zscal(const int N, const void *alpha, void *X, const int incX) {
  INDEX i;
  INDEX ix = 0;
  const BASE alpha_real = CONST_REAL0(alpha);
  const BASE alpha_imag = CONST_IMAG0(alpha);

  if (incX <= 0) {
    return;
  }

  for (i = 0; i < N; i++) {
    const BASE x_real = REAL(X, ix);
    const BASE x_imag = IMAG(X, ix);
    REAL(X, ix) = x_real * alpha_real - x_imag * alpha_imag;
    IMAG(X, ix) = x_real * alpha_imag + x_imag * alpha_real;
    ix += incX;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cblas_zswap(const int N, void *X, const int incX, void *Y, const int incY) {
  INDEX i;
  INDEX ix = OFFSET(N, incX);
  INDEX iy = OFFSET(N, incY);
  for (i = 0; i < N; i++) {
    const BASE tmp_real = REAL(X, ix);
    const BASE tmp_imag = IMAG(X, ix);
    REAL(X, ix) = REAL(Y, iy);
    IMAG(X, ix) = IMAG(Y, iy);
    REAL(Y, iy) = tmp_real;
    IMAG(Y, iy) = tmp_imag;
    ix += incX;
    iy += incY;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cblas_zdotu_sub(const int N, const void *X, const int incX, const void *Y, const int incY, void *result) {
  BASE r_real = 0.0;
  BASE r_imag = 0.0;
  INDEX i;
  INDEX ix = OFFSET(N, incX);
  INDEX iy = OFFSET(N, incY);
  for (i = 0; i < N; i++) {
    const BASE x_real = CONST_REAL(X, ix);
    const BASE x_imag = CONST_IMAG(X, ix);
    const BASE y_real = CONST_REAL(Y, iy);
    const BASE y_imag = CONST_IMAG(Y, iy);
    r_real += (x_real * y_real - x_imag * y_imag);
    r_imag += (x_real * y_imag + x_imag * y_real);
    ix += incX;
    iy += incY;
  }
  REAL0(result) = r_real;
  IMAG0(result) = r_imag;
}

// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo loop-free, linalg loop-free, c loop-free
size_t cblas_izamax(const int N, const void *X, const int incX) {
  BASE max = 0.0;
  INDEX ix = 0;
  INDEX i;
  size_t result = 0;

  if (incX <= 0) {
    return 0;
  }

  for (i = 0; i < N; i++) {
    const BASE a = fabs(CONST_REAL(X, ix)) + fabs(CONST_IMAG(X, ix));

    if (a > max) {
      max = a;
      result = i;
    }
    ix += incX;
  }

  return result;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cblas_dger(const enum CBLAS_ORDER order, const int M, const int N, const double alpha, const double *X,
                const int incX, const double *Y, const int incY, double *A, const int lda) {
  INDEX i, j;

  {
    int pos = 0;
    CHECK_ORDER(pos, 1, order);
    CHECK_DIM(pos, 2, M);
    CHECK_DIM(pos, 3, N);
    CHECK_STRIDE(pos, 6, incX);
    CHECK_STRIDE(pos, 8, incY);
    if (order == CblasRowMajor) {
      CHECK_LD(pos, 10, lda, N);
    } else if (order == CblasColMajor) {
      CHECK_LD(pos, 10, lda, M);
    }
    if (pos) {
      cblas_xerbla(pos, __FILE__, "");
    }
  }

  if (order == CblasRowMajor) {
    INDEX ix = OFFSET(M, incX);
    for (i = 0; i < M; i++) {
      const BASE tmp = alpha * X[ix];
      INDEX jy = OFFSET(N, incY);
      for (j = 0; j < N; j++) {
        A[lda * i + j] += Y[jy] * tmp;
        jy += incY;
      }
      ix += incX;
    }
  } else if (order == CblasColMajor) {
    INDEX jy = OFFSET(N, incY);
    for (j = 0; j < N; j++) {
      const BASE tmp = alpha * Y[jy];
      INDEX ix = OFFSET(M, incX);
      for (i = 0; i < M; i++) {
        A[i + lda * j] += X[ix] * tmp;
        ix += incX;
      }
      jy += incY;
    }
  } else {
    BLAS_ERROR("unrecognized operation");
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c refused TL406
void cblas_dsyr(const enum CBLAS_ORDER order, const enum CBLAS_UPLO Uplo, const int N, const double alpha,
                const double *X, const int incX, double *A, const int lda) {
  INDEX i, j;

  {
    int pos = 0;
    CHECK_ORDER(pos, 1, order);
    CHECK_UPLO(pos, 2, Uplo);
    CHECK_DIM(pos, 3, N);
    CHECK_STRIDE(pos, 6, incX);
    CHECK_LD(pos, 8, lda, N);
    if (pos) {
      cblas_xerbla(pos, __FILE__, "");
    }
  }

  if (N == 0)
    return;

  if (alpha == 0.0)
    return;

  if ((order == CblasRowMajor && Uplo == CblasUpper) || (order == CblasColMajor && Uplo == CblasLower)) {
    INDEX ix = OFFSET(N, incX);
    for (i = 0; i < N; i++) {
      const BASE tmp = alpha * X[ix];
      INDEX jx = ix;
      for (j = i; j < N; j++) {
        A[lda * i + j] += X[jx] * tmp;
        jx += incX;
      }
      ix += incX;
    }
  } else if ((order == CblasRowMajor && Uplo == CblasLower) || (order == CblasColMajor && Uplo == CblasUpper)) {
    INDEX ix = OFFSET(N, incX);
    for (i = 0; i < N; i++) {
      const BASE tmp = alpha * X[ix];
      INDEX jx = OFFSET(N, incX);
      for (j = 0; j <= i; j++) {
        A[lda * i + j] += X[jx] * tmp;
        jx += incX;
      }
      ix += incX;
    }
  } else {
    BLAS_ERROR("unrecognized operation");
  }
}
