// Complex numbers: C's own type, and pairs stored interleaved.
#include <complex.h>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void zscale(int n, double complex a, double complex *x) {
  for (int i = 0; i < n; i++)
    x[i] = a * x[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double complex zdotc(int n, const double complex *x, const double complex *y) {
  double complex s = 0;
  for (int i = 0; i < n; i++)
    s += conj(x[i]) * y[i];
  return s;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void multiply_pairs(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++) {
    double ar = a[2 * i], ai = a[2 * i + 1];
    double br = b[2 * i], bi = b[2 * i + 1];
    c[2 * i] = ar * br - ai * bi;
    c[2 * i + 1] = ar * bi + ai * br;
  }
}

typedef struct { double re, im; } cplx;

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void power_spectrum(int n, const cplx *x, double *p) {
  for (int i = 0; i < n; i++)
    p[i] = x[i].re * x[i].re + x[i].im * x[i].im;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void magnitudes(int n, const float complex *x, float *r) {
  for (int i = 0; i < n; i++)
    r[i] = cabsf(x[i]);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void zaxpy(int n, double complex a, const double complex *x, double complex *y) {
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void zgemv(int n, int m, const double complex *A, const double complex *x, double complex *y) {
  for (int i = 0; i < n; i++) {
    double complex sum = 0;
    for (int j = 0; j < m; j++)
      sum += A[i * m + j] * x[j];
    y[i] = sum;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cgemm(int n, int m, int p, float complex A[n][m], float complex B[m][p], float complex C[n][p]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < p; j++) {
      C[i][j] = 0;
      for (int k = 0; k < m; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void adjoint(int n, int m, double complex A[n][m], double complex B[m][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      B[j][i] = conj(A[i][j]);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void dft(int n, const double complex *x, const double complex *w, double complex *X) {
  for (int k = 0; k < n; k++) {
    X[k] = 0;
    for (int j = 0; j < n; j++)
      X[k] += w[k * n + j] * x[j];
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void butterfly(int n, double complex *x, const double complex *w) {
  for (int k = 0; k < n; k++) {
    double complex t = w[k] * x[k + n];
    x[k + n] = x[k] - t;
    x[k] += t;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void mandelbrot_step(int n, const double complex *c, double complex *z, int *steps) {
  for (int i = 0; i < n; i++)
    if (creal(z[i]) * creal(z[i]) + cimag(z[i]) * cimag(z[i]) <= 4.0) {
      z[i] = z[i] * z[i] + c[i];
      steps[i]++;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void running_sum(int n, const double complex *x, double complex *s) {
  double complex sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i];
    s[i] = sum;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void phases(int n, double w, const double *t, double complex *z) {
  for (int i = 0; i < n; i++)
    z[i] = cexp(I * w * t[i]) / 2;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double energy(int n, const double complex *x) {
  double e = 0;
  for (int i = 0; i < n; i++)
    e += creal(x[i] * conj(x[i]));
  return e;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void inverses(int n, double complex *x) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0)
      x[i] = 1 / x[i];
}

// expect: numpy refused TL150, jax refused TL150, torch refused TL150, stablehlo refused TL150, linalg refused TL150, c refused TL150
void angles(int n, const double complex *x, double *r) {
  for (int i = 0; i < n; i++)
    r[i] = carg(x[i]);
}
