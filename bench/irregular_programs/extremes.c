// Extremes with their places: several dimensions, ties, any start, conditions.
#include <float.h>
#include <math.h>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c hybrid
void argmax2(int n, int m, double a[n][m], int *row, int *col) {
  double best = a[0][0];
  int r = 0, c = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (a[i][j] > best) {
        best = a[i][j];
        r = i;
        c = j;
      }
  *row = r;
  *col = c;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c hybrid
double max_place(int n, int m, float a[n][m], int *xindex, int *yindex) {
  float max = a[0][0];
  *xindex = 0;
  *yindex = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (a[i][j] > max) {
        max = a[i][j];
        *xindex = i;
        *yindex = j;
      }
  return max + (*xindex + 1) + (*yindex + 1);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int last_of_equals(int n, const int *a) {
  int best = 0;
  for (int i = 1; i < n; i++)
    if (a[i] >= a[best])
      best = i;
  return best;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int argmin_abs(int n, const double *x) {
  double smallest = fabs(x[0]);
  int at = 0;
  for (int i = 1; i < n; i++) {
    if (fabs(x[i]) < smallest) {
      smallest = fabs(x[i]);
      at = i;
    }
  }
  return at;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int isamax(int n, const float *x, int inc) {
  float max = fabsf(x[0]);
  int index = 0;
  for (int i = 0; i < n; i++)
    if (fabsf(x[i * inc]) > max) {
      max = fabsf(x[i * inc]);
      index = i;
    }
  return index;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void top_under(int n, const double *score, const int *ok, double *top, int *index) {
  double best = -INFINITY;
  int at = -1;
  for (int i = 0; i < n; i++)
    if (ok[i] && score[i] > best) {
      best = score[i];
      at = i;
    }
  *top = best;
  *index = at;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int argmax_from_zero(int n, const double *x, double *value) {
  double best = 0.0;
  int at = -1;
  for (int i = 0; i < n; i++)
    if (x[i] > best) {
      best = x[i];
      at = i;
    }
  *value = best;
  return at;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void row_argmax(int n, int m, double a[n][m], int *which) {
  for (int i = 0; i < n; i++) {
    int best = 0;
    for (int j = 1; j < m; j++)
      if (a[i][j] > a[i][best])
        best = j;
    which[i] = best;
  }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c refused TL305
void closest_pair(int n, const double *x, const double *y, int *p, int *q) {
  double best = DBL_MAX;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double d = (x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]);
      if (d < best) {
        best = d;
        *p = i;
        *q = j;
      }
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void minmax_places(int n, const double *x, int *lo, int *hi) {
  int a = 0, b = 0;
  for (int i = 1; i < n; i++) {
    if (x[i] < x[a])
      a = i;
    if (x[i] > x[b])
      b = i;
  }
  *lo = a;
  *hi = b;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int nearest(int n, int d, double p[n][d], const double *q) {
  double best = 1e300;
  int at = 0;
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int k = 0; k < d; k++)
      s += (p[i][k] - q[k]) * (p[i][k] - q[k]);
    if (s < best) {
      best = s;
      at = i;
    }
  }
  return at;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c loop-free
double salary_of_oldest(int n, const int *age, const double *salary) {
  int oldest = -1;
  double found = 0.0;
  for (int i = 0; i < n; i++)
    if (age[i] > oldest) {
      oldest = age[i];
      found = salary[i];
    }
  return found;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c refused TL305
void last_minimum2(int n, int m, int a[n][m], int *row, int *col) {
  int least = a[0][0], r = 0, c = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (a[i][j] <= least) {
        least = a[i][j];
        r = i;
        c = j;
      }
  *row = r;
  *col = c;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c hybrid
double pivot(int n, double a[n][n], int *row, int *col) {
  double big = -1.0;
  int r = -1, c = -1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (fabs(a[i][j]) > big) {
        big = fabs(a[i][j]);
        r = i;
        c = j;
      }
  *row = r;
  *col = c;
  return big;
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void hottest_cell(int n, int m, int l, float t[n][m][l], int at[3]) {
  float best = -INFINITY;
  int x = -1, y = -1, z = -1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        if (t[i][j][k] > best) {
          best = t[i][j][k];
          x = i;
          y = j;
          z = k;
        }
  at[0] = x;
  at[1] = y;
  at[2] = z;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c hybrid
float peak_to_trough(int n, const float *height, const float *where) {
  float top = height[0], bottom = height[0], from = where[0], to = where[0];
  for (int i = 1; i < n; i++) {
    if (height[i] > top) {
      top = height[i];
      from = where[i];
    }
    if (height[i] < bottom) {
      bottom = height[i];
      to = where[i];
    }
  }
  return to - from;
}
