// Functions whose loop IR, run by the interpreter, must agree with what the C compiler makes of them.
#include <math.h>
#include <stdlib.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
void narrow(int n, char *c, short *s, unsigned char *u) { for (int i = 0; i < n; i++) { c[i] += 100; s[i] = c[i] * u[i] * 300; u[i] -= 200; u[i] <<= 1; } }
void mixed(int n, int *a, unsigned *b, double *d, float *f) { for (int i = 0; i < n; i++) { d[i] = a[i] + b[i]; f[i] = a[i] / 3 + d[i]; a[i] += 1.7; b[i] = -a[i]; } }
void cmpu(int n, int *a, unsigned *b, int *o) { for (int i = 0; i < n; i++) o[i] = a[i] < b[i]; }
void shifts(int n, int *a, unsigned *b, long *l) { for (int i = 0; i < n; i++) { a[i] = a[i] >> 3; b[i] = b[i] >> 5 | b[i] << 2; l[i] = (l[i] ^ 5) & ~a[i] % 7; } }
void bools(int n, double *x, signed char *b, int *o) { for (int i = 0; i < n; i++) { _Bool t = x[i]; b[i] = t; o[i] = !x[i] + (x[i] > 0 && o[i]) + (o[i] || x[i] < 0); } }
float fl(int n, float *x) { float s = 0; for (int i = 0; i < n; i++) s += sqrtf(fabsf(x[i])) * 1.5; return s; }
unsigned usum(unsigned n, unsigned char *p) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s = s * 31u + p[i]; return s; }
void idx(int n, long m, double *A) { for (int i = 0; i < n; i++) for (long j = 0; j < m; j++) A[i*m+j] = i*j + (double)i/(j+1) + (i+j)/2 + (i-j)%3; }
void down(int n, double *a, double *b) { int i, k; for (i = n-1, k = 0; i >= 0; i--, k++) b[k] = a[i]; }
void down2(size_t n, double *a) { for (size_t i = n; i-- > 0;) a[i] *= 2; }
void down3(unsigned n, double *a) { for (unsigned i = n; i > 0; --i) a[i-1] *= 2; }
void step3(int n, double *a) { for (int i = 0; i < n; i += 3) a[i] = i; }
void step3d(int n, double *a) { for (int i = n - 1; i >= 0; i -= 3) a[i] = i; }
void sec(int n, double *a, double *b) { int k = 3; for (int i = 0; i < n; i++) { k += 2; a[i] = b[k] - 1; } }
void sec2(int n, int m, double *a) { int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { a[k] = k; k++; } }
void sec3(int n, int m, double *a) { int k = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) a[k++] = i + j; k++; } }
void walk(int n, double *a, double *b) { double *p = a, *q = b; for (int i = 0; i < n; i++) *p++ = *q++ + 1; }
void walk2(double *a, int n) { double *e = a + n; for (double *p = a; p < e; p++) *p = 2 * *p; }
void walk3(int n, int m, int *h, int *x, int *y) { int *p = h; for (int i = 0; i < n; i++) { int *q = x; *y = 0; for (int f = 0; f < m; f++) *y += *p++ * *q++; y++; } }
void rows(int n, int m, double *a) { for (int i = 0; i < n; i++) { double *r = a + i*m; for (int j = 0; j < m; j++) r[j] = r[j] * 2 + i; } }
void rows2(int n, int m, double a[n][m]) { for (int i = 0; i < n; i++) { double *r = a[i]; for (int j = 0; j < m; j++) r[j] *= j; } }
void wloop(int n, double *a) { int i = 0; while (i < n) { a[i] = i; i++; } }
void wloop2(int n, double *a) { while (n--) a[n] = n; }
void dloop(int n, double *a) { int i = 0; do { a[i] += 1; i++; } while (i < n); }
int after(int n, double *a) { int i; for (i = 0; i < n; i++) a[i] = 1; return i; }
double tern(int n, double *a, double *b) { double m = a[0]; for (int i = 1; i < n; i++) m = a[i] > m ? a[i] : m; for (int i = 0; i < n; i++) b[i] = b[i] != 0 ? a[i] / b[i] : 0; return m; }
void tri(int n, double *A, double *x) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) A[i*n+j] = x[i] * x[j]; }
void cube(int n, int m, int k, double *A) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int l = 0; l < k; l++) A[(i*m+j)*k+l] = i + 10*j + 100*l; }
void cube2(int n, int m, int k, double *A) { for (int l = 0; l < k; l++) for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[l + k*j + k*m*i] = i + 10*j + 100*l; }
void last(int n, int m, double *A) { for (int i = 0; i < n; i++) { A[i*m + m - 1] = 0; A[i*m] = 1; } }
void rev2(int n, int m, double *A, double *B) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[(n-1-i)*m + (m-1-j)] = A[i*m+j]; }
void sten(int n, int m, double *A, double *B) { for (int i = 1; i < n-1; i++) for (int j = 1; j < m-1; j++) B[i*m+j] = A[(i-1)*m+j] + A[(i+1)*m+j] + A[i*m+j-1] + A[i*m+j+1]; }
void up(int n, double *a) { for (int i = 0; i != n; i++) a[i] = i; }
static double sq(double x) { return x * x; }
static int clampi(int v, int lo, int hi) { if (v < lo) return lo; if (v > hi) return hi; return v; }
void helper(int n, double *a, int *b) { for (int i = 0; i < n; i++) { a[i] = sq(a[i] + 1); b[i] = clampi(b[i], 1, 5); } }
static void axpy(int n, double a, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
void inl(int n, int m, double *A, double *x, double *y) { for (int i = 0; i < n; i++) axpy(m, x[i], A + i*m, y); }
void inl2(int n, int m, double A[n][m], double *x, double *y) { for (int i = 0; i < n; i++) axpy(m, x[i], A[i], y); }
void guard(int n, double *a) { if (n <= 0) return; for (int i = 0; i < n; i++) a[i] = 1; }
void wloc(int n, double *a) { double w[2][2] = {{1, 2}, {3}}; for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) for (int k = 0; k < 2; k++) a[i] += w[j][k]; }
void chain(int n, double *a, float *b, int *c) { for (int i = 0; i < n; i++) a[i] = b[i] = c[i] = a[i] * 3.3; }
void incs(int n, int *a, double *d) { for (int i = 0; i < n; i++) { a[i]++; --d[i]; int t = a[i]++; a[i] += t; } }
void half(int n, double *a) { for (int i = 0; i < n/2; i++) { double t = a[i]; a[i] = a[n-1-i]; a[n-1-i] = t; } }
void sp(double *s, double *r) { *s = *s + 1; r[0] = *s; }
void fixed(double a[4][5], double b[5]) { for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) a[i][j] = b[j] * i; }
void flat4(double *a, double *b) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) a[i*4+j] = b[j*4+i]; }
void pw(int n, double *a, float *f) { for (int i = 0; i < n; i++) { a[i] = pow(a[i], 2) + fmax(a[i], 0.5) + fmin(a[i], f[i]) + floor(a[i]) + fabs(a[i]) + abs((int)a[i]); f[i] = expf(f[i]) + tanhf(f[i]) + (isnan(f[i]) ? 1 : 2); } }
int cnt(int n, int *a) { int c = 0; for (int i = 0; i < n; i++) c += a[i] > 0; return c; }
void ifs(int n, int k, double *a) { for (int i = 0; i < n; i++) { if (i < k) a[i] = 1; else if (i == k) a[i] = 2; else a[i] = 3; if (i != 2 && a[i] > 1.5) a[i] = 7; } }
void conv(int n, int k, double *x, double *w, double *y) { for (int i = 0; i < n - k + 1; i++) { y[i] = 0; for (int j = 0; j < k; j++) y[i] += x[i + j] * w[j]; } }
void lng(long n, long long *a, int64_t *b, uint16_t *c) { for (long i = 0; i < n; i++) { a[i] = b[i] * 3LL - i; c[i] = c[i] * c[i]; } }
void lin2(int n, int m, double a[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) (&a[0][0])[i*m+j] = 1; }
void ld2(int m, int n, int k, double *A, int lda, double *B, int ldb, double *C, int ldc) { for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { double t = 0; for (int l = 0; l < k; l++) t += A[l*lda + i] * B[j*ldb + l]; C[j*ldc + i] = t; } }
void cond2(int n, double *a) { for (int i = 0; i < n; i++) a[i] = (i > 0 && i < n-1) ? 1 : (i == 0 ? 2 : 3); }
void sizes_as_data(int n, double *a) { for (int i = 0; i < n; i++) a[i] = (double)i / n + n * 0.5f; }
void comma(int n, int *a) { int t; for (int i = 0; i < n; i++) t = a[i], a[i] = (t++, t * 2); }
void tmin(int n, double a[n][n]) { for (int ii = 0; ii < n; ii += 4) for (int i = ii; i < (ii+4 < n ? ii+4 : n); i++) a[i][0] = i; }
void andb(int n, int m, double *a) { for (int i = 0; i < n && i < m; i++) a[i] = 1; }
void cont(int n, double *a, double *o) { for (int i = 0; i < n; i++) { if (a[i] < 0) continue; o[i] = a[i]; if (i > 3) { o[i] += 1; continue; } o[i] *= 3; } }
void contelse(int n, double *a) { for (int i = 0; i < n; i++) { if (a[i] < 0) a[i] = 1; else continue; a[i] += 2; } }
void rest(int n, double *a, float *b, double *c) { for (int i = 0; i < n; i++) { c[i] = fmod(a[i], 0.3) + fmodf(b[i], 1.5f) + fmax(a[i], c[i]) - fmin(b[i], 0.5) + copysign(c[i], a[i]); } }
void truths(int n, bool *t, double *a, bool *u) { for (int i = 0; i < n; i++) { u[i] = t[i] && a[i] > 0; t[i] += a[i]; } }
void wrapped(int n, int *a, double *d) { for (int i = 0; i < n; i++) { a[i] = (int8_t)(i * 100); d[i] = (int8_t)(i * 50) + (uint8_t)(i * 90); } }
int ffirst(int n, double *x, double t) { int k = -1; for (int i = 0; i < n; i++) if (x[i] > t) { k = i; break; } return k; }
int fcount(int n, double *x, double t) { int i, j; for (i = 0; i < n; i++) if (x[i] > t) break; j = i; for (i = 0; i < n; i++) x[i] = j; return j + i; }
int fwhile(int n, int *x, int t) { int i = 0; while (i < n && x[i] != t) i++; return i < n ? i : -1; }
int fdown(int n, double *x, double t) { for (int i = n - 1; i > 0; i--) if (x[i] > t) return i; return 0; }
unsigned fsize(unsigned n, int *x, int t) { for (unsigned i = 0; i < n; i++) { if (x[i] == t) return i; } return n; }
int fnest(int n, int m, double a[n][m], double t) { int i, j; for (i = 0; i < n; i++) for (j = 0; j < m; j++) if (a[i][j] > t) return i * m + j; return i + n; }
int fsum(int n, int m, double a[n][m], double t) { double s; int i, j; for (i = 0; i < n; i++) { s = 0; for (j = 0; j < m; j++) s += a[i][j]; if (s > t) return i; } return n; }
int flex(int n, unsigned char *a, unsigned char *b) { for (int i = 0; i < n; i++) { if (a[i] < b[i]) return -1; if (a[i] > b[i]) return 1; } return 0; }
int fstore(int n, double *x, double t, double *out, int *at) { int i; for (i = 0; i < n; i++) if (x[i] > t) { out[0] += x[i]; at[1] = i; return 0; } return 1; }
void frows(int n, int m, double a[n][m], int *k) { for (int i = 0; i < n; i++) { k[i] = -1; for (int j = 0; j < m; j++) if (a[i][j] > 0) { k[i] = j; break; } } }
void finfo(int n, double *d, int *info) { info[1] = 0; for (int i = 0; i < n; i++) if (d[i] <= 0) { info[1] = i + 1; return; } for (int i = 0; i < n; i++) d[i] = 1 / d[i]; }
int felse(int n, double *x) { int i, k = 9; for (i = 0; i < n; i++) { if (x[i] > 1) { if (x[i] > 2) { k = i; break; } k = -i; break; } } return k + i; }
void stepped(int n, int inc, double *x, double *y) { int j = 0; for (int i = 0; i < n * inc; i += inc) { x[i] *= 2; y[j++] = i; } }
int steplast(int n, int inc, double *x) { int i, m = n * inc; for (i = 0; i < m; i += inc) x[i] = 1; return i; }
void castrows(int n, int m, double *u, const double *v) { double (*A)[m] = (double (*)[m])u; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] += ((const double (*)[m])v)[i][j]; }
void casttyped(int n, float *u) { typedef float row[5]; row *A = (row *)u; for (int i = 0; i < n; i++) for (int j = 0; j < 5; j++) A[i][j] = A[i][j] + j; }
void castchanged(int n, int m, double *u) { double (*A)[n][m] = (double (*)[n][m])u; int k = m; m = 3; for (int p = 0; p < 2; p++) for (int i = 0; i < n; i++) for (int j = 0; j < k; j++) A[p][i][j] = p + m; }
