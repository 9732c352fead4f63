// Functions with a domain under conditions, guarded loops, triangular stores, attention.
#include <math.h>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void safe_ratio(int n, const double *p, const double *r, double *q) {
  for (int i = 0; i < n; i++) {
    if (r[i] > 0)
      q[i] = p[i] / r[i];
    else
      q[i] = 0.0;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void ratio_where(int n, const double *p, const double *r, double *q) {
  for (int i = 0; i < n; i++)
    if (r[i] != 0.0)
      q[i] = p[i] / r[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void nested_domains(int n, const double *a, const double *b, double *q) {
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      if (b[i] > 0)
        q[i] = sqrt(a[i]) / b[i];
      else
        q[i] = log(a[i]);
    } else {
      q[i] = -1.0;
    }
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void int_quotient(int n, const int *p, const int *r, int *q) {
  for (int i = 0; i < n; i++)
    q[i] = r[i] != 0 ? p[i] / r[i] : 0;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void roots(int n, const double *a, const double *b, const double *c, double *x) {
  for (int i = 0; i < n; i++) {
    double d = b[i] * b[i] - 4 * a[i] * c[i];
    if (d >= 0.0) {
      double s = sqrt(d);
      if (a[i] != 0.0)
        x[i] = (-b[i] + s) / (2 * a[i]);
      else
        x[i] = 0;
    } else
      x[i] = NAN;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void two_guarded(int n, const double *x, double *y, double *z) {
  if (n > 0) {
    for (int i = 0; i < n; i++)
      if (x[i] > 0.0)
        y[i] = sqrt(x[i]);
    for (int i = 0; i < n; i++)
      if (y[i] > 1.0)
        z[i] = 1.0 / y[i];
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void normalise_rows(int n, int m, double a[n][m]) {
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int j = 0; j < m; j++)
      s += a[i][j] * a[i][j];
    double norm = sqrt(s);
    if (norm > 1e-12)
      for (int j = 0; j < m; j++)
        a[i][j] /= norm;
  }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void rbf(int n, int d, double g, double X[n][d], double K[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double s = 0.0;
      for (int k = 0; k < d; k++) {
        double t = X[i][k] - X[j][k];
        s += t * t;
      }
      K[i][j] = K[j][i] = exp(-g * s);
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c hybrid
void attention(int n, int m, int d, double Q[n][d], double K[m][d], double V[m][d], double O[n][d]) {
  double score[m];
  for (int i = 0; i < n; i++) {
    double top = -INFINITY;
    for (int j = 0; j < m; j++) {
      double s = 0.0;
      for (int k = 0; k < d; k++)
        s += Q[i][k] * K[j][k];
      score[j] = s / sqrt((double)d);
      if (score[j] > top)
        top = score[j];
    }
    double sum = 0.0;
    for (int j = 0; j < m; j++) {
      score[j] = exp(score[j] - top);
      sum += score[j];
    }
    for (int k = 0; k < d; k++)
      O[i][k] = 0.0;
    for (int j = 0; j < m; j++)
      for (int k = 0; k < d; k++)
        O[i][k] += score[j] / sum * V[j][k];
  }
}

// expect: numpy loop-free, jax loop-free, torch unchanged, stablehlo loop-free, linalg loop-free, c loop-free
double largest(int n, const double *x) {
  double m = -INFINITY;
  for (int i = 0; i < n; i++)
    m = fmax(m, x[i]);
  return m;
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void online_softmax(int n, const double *x, double *y) {
  double m = -INFINITY, l = 0.0;
  for (int j = 0; j < n; j++) {
    double next = x[j] > m ? x[j] : m;
    l = l * exp(m - next) + exp(x[j] - next);
    m = next;
  }
  for (int j = 0; j < n; j++)
    y[j] = exp(x[j] - m) / l;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void by_kind(int kind, int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        if (kind == 1)
            y[i] = x[i] > 0 ? x[i] : 0;
        else if (kind > 3)
            y[i] = log(x[i]);
        else if (kind == 3)
            y[i] = 1.0 / (1.0 + exp(-x[i]));
        else
            y[i] = x[i];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void by_kinds(int n, int m, const int *kind, const float *r, float x[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            if (kind[i] != 2)
                x[i][j] = x[i][j] - r[j];
            else if (r[j] >= 0)
                x[i][j] = sqrtf(r[j]) / x[i][j];
        }
}
