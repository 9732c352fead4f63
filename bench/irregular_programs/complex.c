// Complex numbers: C's own type, and pairs stored interleaved.
#include <complex.h>

// expect: numpy refused TL143, jax refused TL143, torch refused TL143, stablehlo refused TL143, linalg refused TL143, c refused TL143
void zscale(int n, double complex a, double complex *x) {
  for (int i = 0; i < n; i++)
    x[i] = a * x[i];
}

// expect: numpy refused TL143, jax refused TL143, torch refused TL143, stablehlo refused TL143, linalg refused TL143, c refused TL143
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

// expect: numpy refused TL143, jax refused TL143, torch refused TL143, stablehlo refused TL143, linalg refused TL143, c refused TL143
void magnitudes(int n, const float complex *x, float *r) {
  for (int i = 0; i < n; i++)
    r[i] = cabsf(x[i]);
}
