/* CBLAS's routines in one precision: cblas.h defines REAL, SQRT, ABS and the names for it.
 *
 * Each is written for matrices by rows; a matrix by columns is the transpose of one by rows.  A vector whose increment
 * is negative is walked from its end; where libraries differ about one, it must be positive.  What is written is not read
 * where beta is zero, nor a diagonal that counts as ones. */

/* -- vectors */

static REAL ROUTINE(dot)(int n, const REAL *x, int incx, const REAL *y, int incy) {
  REAL sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[incx > 0 ? i * incx : (i + 1 - n) * incx] * y[incy > 0 ? i * incy : (i + 1 - n) * incy];
  return sum;
}

static REAL ROUTINE(nrm2)(int n, const REAL *x, int incx) {
  if (incx <= 0) __builtin_trap();
  REAL sum = 0;
  for (int i = 0; i < n; i++) sum += x[i * incx] * x[i * incx];
  return SQRT(sum);
}

static REAL ROUTINE(asum)(int n, const REAL *x, int incx) {
  if (incx <= 0) __builtin_trap();
  REAL sum = 0;
  for (int i = 0; i < n; i++) sum += ABS(x[i * incx]);
  return sum;
}

static void ROUTINE(scal)(int n, REAL alpha, REAL *x, int incx) {
  if (incx <= 0) __builtin_trap();
  for (int i = 0; i < n; i++) x[i * incx] *= alpha;
}

static void ROUTINE(axpy)(int n, REAL alpha, const REAL *x, int incx, REAL *y, int incy) {
  for (int i = 0; i < n; i++)
    y[incy > 0 ? i * incy : (i + 1 - n) * incy] += alpha * x[incx > 0 ? i * incx : (i + 1 - n) * incx];
}

static void ROUTINE(copy)(int n, const REAL *x, int incx, REAL *y, int incy) {
  for (int i = 0; i < n; i++)
    y[incy > 0 ? i * incy : (i + 1 - n) * incy] = x[incx > 0 ? i * incx : (i + 1 - n) * incx];
}

static void ROUTINE(swap)(int n, REAL *x, int incx, REAL *y, int incy) {
  for (int i = 0; i < n; i++) {
    REAL old = x[incx > 0 ? i * incx : (i + 1 - n) * incx];
    x[incx > 0 ? i * incx : (i + 1 - n) * incx] = y[incy > 0 ? i * incy : (i + 1 - n) * incy];
    y[incy > 0 ? i * incy : (i + 1 - n) * incy] = old;
  }
}

/* -- a matrix and vectors */

static void ROUTINE(_gemv_rows)(CBLAS_TRANSPOSE trans, int m, int n, REAL alpha, const REAL *a, int lda, const REAL *x,
                                int incx, REAL beta, REAL *y, int incy) {
  if (n <= 0) return;
  for (int i = 0; i < m; i++) {
    REAL sum = 0;
    for (int j = 0; j < n; j++)
      sum += (trans == CblasNoTrans ? a[i * lda + j] : a[j * lda + i]) * x[incx > 0 ? j * incx : (j + 1 - n) * incx];
    REAL *out = &y[incy > 0 ? i * incy : (i + 1 - m) * incy];
    *out = beta == 0 ? alpha * sum : alpha * sum + beta * *out;
  }
}

static void ROUTINE(gemv)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, int m, int n, REAL alpha, const REAL *a, int lda,
                          const REAL *x, int incx, REAL beta, REAL *y, int incy) {
  ROUTINE(_gemv_rows)
  (layout == CblasRowMajor ? trans : trans == CblasNoTrans ? CblasTrans : CblasNoTrans,
   trans == CblasNoTrans ? m : n, trans == CblasNoTrans ? n : m, alpha, a, lda, x, incx, beta, y, incy);
}

static void ROUTINE(_ger_rows)(int m, int n, REAL alpha, const REAL *x, int incx, const REAL *y, int incy, REAL *a,
                               int lda) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      a[i * lda + j] +=
          alpha * x[incx > 0 ? i * incx : (i + 1 - m) * incx] * y[incy > 0 ? j * incy : (j + 1 - n) * incy];
}

static void ROUTINE(ger)(CBLAS_LAYOUT layout, int m, int n, REAL alpha, const REAL *x, int incx, const REAL *y,
                         int incy, REAL *a, int lda) {
  if (layout == CblasRowMajor)
    ROUTINE(_ger_rows)(m, n, alpha, x, incx, y, incy, a, lda);
  else
    ROUTINE(_ger_rows)(n, m, alpha, y, incy, x, incx, a, lda);
}

/* -- matrices */

static void ROUTINE(_gemm_rows)(CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k, REAL alpha,
                                const REAL *a, int lda, const REAL *b, int ldb, REAL beta, REAL *c, int ldc) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      REAL sum = 0;
      for (int p = 0; p < k; p++)
        sum += (transa == CblasNoTrans ? a[i * lda + p] : a[p * lda + i]) *
               (transb == CblasNoTrans ? b[p * ldb + j] : b[j * ldb + p]);
      c[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * ldc + j];
    }
}

static void ROUTINE(gemm)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                          REAL alpha, const REAL *a, int lda, const REAL *b, int ldb, REAL beta, REAL *c, int ldc) {
  if (layout == CblasRowMajor)
    ROUTINE(_gemm_rows)(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  else
    ROUTINE(_gemm_rows)(transb, transa, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
}

static void ROUTINE(_symm_rows)(CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, REAL alpha, const REAL *a, int lda,
                                const REAL *b, int ldb, REAL beta, REAL *c, int ldc) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      REAL sum = 0;
      if (side == CblasLeft) {
        for (int p = 0; p <= i; p++) sum += (uplo == CblasLower ? a[i * lda + p] : a[p * lda + i]) * b[p * ldb + j];
        for (int p = i + 1; p < m; p++) sum += (uplo == CblasLower ? a[p * lda + i] : a[i * lda + p]) * b[p * ldb + j];
      } else {
        for (int p = 0; p <= j; p++) sum += (uplo == CblasLower ? a[j * lda + p] : a[p * lda + j]) * b[i * ldb + p];
        for (int p = j + 1; p < n; p++) sum += (uplo == CblasLower ? a[p * lda + j] : a[j * lda + p]) * b[i * ldb + p];
      }
      c[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * ldc + j];
    }
}

static void ROUTINE(symm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, REAL alpha,
                          const REAL *a, int lda, const REAL *b, int ldb, REAL beta, REAL *c, int ldc) {
  if (layout == CblasRowMajor)
    ROUTINE(_symm_rows)(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
  else
    ROUTINE(_symm_rows)
    (side == CblasLeft ? CblasRight : CblasLeft, uplo == CblasLower ? CblasUpper : CblasLower, n, m, alpha, a, lda, b,
     ldb, beta, c, ldc);
}

static void ROUTINE(_syrk_cell)(CBLAS_TRANSPOSE trans, int i, int j, int k, REAL alpha, const REAL *a, int lda,
                                REAL beta, REAL *c, int ldc) {
  REAL sum = 0;
  for (int p = 0; p < k; p++)
    sum += trans == CblasNoTrans ? a[i * lda + p] * a[j * lda + p] : a[p * lda + i] * a[p * lda + j];
  c[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * ldc + j];
}

static void ROUTINE(_syrk_rows)(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, REAL alpha, const REAL *a,
                                int lda, REAL beta, REAL *c, int ldc) {
  if (uplo == CblasLower) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) ROUTINE(_syrk_cell)(trans, i, j, k, alpha, a, lda, beta, c, ldc);
  } else {
    for (int i = 0; i < n; i++)
      for (int j = i; j < n; j++) ROUTINE(_syrk_cell)(trans, i, j, k, alpha, a, lda, beta, c, ldc);
  }
}

static void ROUTINE(syrk)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, REAL alpha,
                          const REAL *a, int lda, REAL beta, REAL *c, int ldc) {
  if (layout == CblasRowMajor)
    ROUTINE(_syrk_rows)(uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
  else
    ROUTINE(_syrk_rows)
    (uplo == CblasLower ? CblasUpper : CblasLower, trans == CblasNoTrans ? CblasTrans : CblasNoTrans, n, k, alpha,
     a, lda, beta, c, ldc);
}

static void ROUTINE(_syr2k_cell)(CBLAS_TRANSPOSE trans, int i, int j, int k, REAL alpha, const REAL *a, int lda,
                                 const REAL *b, int ldb, REAL beta, REAL *c, int ldc) {
  REAL sum = 0;
  for (int p = 0; p < k; p++)
    sum += trans == CblasNoTrans ? a[i * lda + p] * b[j * ldb + p] + b[i * ldb + p] * a[j * lda + p]
                                 : a[p * lda + i] * b[p * ldb + j] + b[p * ldb + i] * a[p * lda + j];
  c[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * ldc + j];
}

static void ROUTINE(_syr2k_rows)(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, REAL alpha, const REAL *a,
                                 int lda, const REAL *b, int ldb, REAL beta, REAL *c, int ldc) {
  if (uplo == CblasLower) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) ROUTINE(_syr2k_cell)(trans, i, j, k, alpha, a, lda, b, ldb, beta, c, ldc);
  } else {
    for (int i = 0; i < n; i++)
      for (int j = i; j < n; j++) ROUTINE(_syr2k_cell)(trans, i, j, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
}

static void ROUTINE(syr2k)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, REAL alpha,
                           const REAL *a, int lda, const REAL *b, int ldb, REAL beta, REAL *c, int ldc) {
  if (layout == CblasRowMajor)
    ROUTINE(_syr2k_rows)(uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  else
    ROUTINE(_syr2k_rows)
    (uplo == CblasLower ? CblasUpper : CblasLower, trans == CblasNoTrans ? CblasTrans : CblasNoTrans, n, k, alpha,
     a, lda, b, ldb, beta, c, ldc);
}

/* A row or a column of B is written where no other needs it any more; ``lower`` says that op(A) is. */
static void ROUTINE(_trmm_left_cell)(CBLAS_TRANSPOSE trans, int unit, int i, int j, int first, int end, REAL alpha,
                                     const REAL *a, int lda, REAL *b, int ldb) {
  REAL sum = 0;
  for (int u = 0; u < unit; u++) sum += b[i * ldb + j];
  for (int p = first; p < end; p++) sum += (trans == CblasNoTrans ? a[i * lda + p] : a[p * lda + i]) * b[p * ldb + j];
  b[i * ldb + j] = alpha * sum;
}

static void ROUTINE(_trmm_left)(int lower, CBLAS_TRANSPOSE trans, int unit, int m, int n, REAL alpha, const REAL *a,
                                int lda, REAL *b, int ldb) {
  if (lower) {
    for (int i = m - 1; i >= 0; i--)
      for (int j = 0; j < n; j++)
        ROUTINE(_trmm_left_cell)(trans, unit, i, j, 0, i + 1 - unit, alpha, a, lda, b, ldb);
  } else {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) ROUTINE(_trmm_left_cell)(trans, unit, i, j, i + unit, m, alpha, a, lda, b, ldb);
  }
}

static void ROUTINE(_trmm_right_cell)(CBLAS_TRANSPOSE trans, int unit, int i, int j, int first, int end, REAL alpha,
                                      const REAL *a, int lda, REAL *b, int ldb) {
  REAL sum = 0;
  for (int u = 0; u < unit; u++) sum += b[i * ldb + j];
  for (int p = first; p < end; p++) sum += (trans == CblasNoTrans ? a[p * lda + j] : a[j * lda + p]) * b[i * ldb + p];
  b[i * ldb + j] = alpha * sum;
}

static void ROUTINE(_trmm_right)(int lower, CBLAS_TRANSPOSE trans, int unit, int m, int n, REAL alpha, const REAL *a,
                                 int lda, REAL *b, int ldb) {
  if (lower) {
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) ROUTINE(_trmm_right_cell)(trans, unit, i, j, j + unit, n, alpha, a, lda, b, ldb);
  } else {
    for (int j = n - 1; j >= 0; j--)
      for (int i = 0; i < m; i++)
        ROUTINE(_trmm_right_cell)(trans, unit, i, j, 0, j + 1 - unit, alpha, a, lda, b, ldb);
  }
}

static void ROUTINE(_trmm_rows)(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int unit, int m, int n,
                                REAL alpha, const REAL *a, int lda, REAL *b, int ldb) {
  if (side == CblasLeft)
    ROUTINE(_trmm_left)
    (trans == CblasNoTrans ? (uplo == CblasLower ? 1 : 0) : (uplo == CblasLower ? 0 : 1), trans, unit, m, n, alpha, a,
     lda, b, ldb);
  else
    ROUTINE(_trmm_right)
    (trans == CblasNoTrans ? (uplo == CblasLower ? 1 : 0) : (uplo == CblasLower ? 0 : 1), trans, unit, m, n, alpha, a,
     lda, b, ldb);
}

static void ROUTINE(trmm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
                          int m, int n, REAL alpha, const REAL *a, int lda, REAL *b, int ldb) {
  if (layout == CblasRowMajor)
    ROUTINE(_trmm_rows)(side, uplo, trans, diag == CblasUnit ? 1 : 0, m, n, alpha, a, lda, b, ldb);
  else
    ROUTINE(_trmm_rows)
    (side == CblasLeft ? CblasRight : CblasLeft, uplo == CblasLower ? CblasUpper : CblasLower, trans,
     diag == CblasUnit ? 1 : 0, n, m, alpha, a, lda, b, ldb);
}
