// First hits, and prefixes up to them, as people write them.
#include <stddef.h>
#include <stdbool.h>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int first_negative_clears(int n, double *a) {
    int i;
    for (i = 0; i < n; i++) {
        if (a[i] < 0.0)
            break;
        a[i] = 0.0;
    }
    return i;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void copy_until(int n, const int *src, int *dst, int stop) {
    for (int i = 0; i < n; i++) {
        dst[i] = src[i];
        if (src[i] == stop)
            break;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double sum_until_negative(const double *x, int n) {
    double s = 0.0;
    for (int i = 0; i < n; ++i) {
        if (x[i] < 0)
            break;
        s += x[i];
    }
    return s;
}

// expect: numpy loop-free, jax loop-free, torch refused TL112, stablehlo loop-free, linalg loop-free, c loop-free
float mean_before(size_t n, const float *v, float limit, size_t *count) {
    float total = 0.0f;
    size_t k = 0;
    while (k < n && v[k] <= limit) {
        total += v[k];
        k++;
    }
    *count = k;
    return total;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double value_at_hit(int n, const double *x, const double *y, double t) {
    for (int i = 0; i < n; i++)
        if (x[i] > t)
            return y[i];
    return -1.0;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void scale_between(int n, float *a, float *b, const float *c) {
    for (int i = 0; i < n; i++) {
        a[i] += b[i] * c[i];
        if (a[i] > 10.0f)
            break;
        b[i] = 2.0f * c[i];
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo refused TL515, linalg scan, c loop-free
int exceeds(int n, const double *x, double budget) {
    double used = 0;
    for (int i = 0; i < n; i++) {
        used += x[i];
        if (used > budget)
            return i;
    }
    return n;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int fill_checked(int n, const int *in, int *out) {
    for (int i = 0; i < n; i++) {
        if (in[i] < 0)
            return -1;
        out[i] = in[i] * 2;
        if (in[i] > 1000)
            return 1;
    }
    return 0;
}

// expect: numpy unchanged, jax hybrid, torch refused TL307, stablehlo hybrid, linalg hybrid, c hybrid
size_t my_strlen(const char *s) {
    size_t i = 0;
    while (s[i] != '\0')
        i++;
    return i;
}

// expect: numpy loop-free, jax loop-free, torch refused TL114, stablehlo loop-free, linalg loop-free, c loop-free
int my_memcmp(const unsigned char *a, const unsigned char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void first_in_rows(int m, int n, const double a[m][n], int col[m], double sums[m]) {
    for (int i = 0; i < m; i++) {
        double s = 0.0;
        int j;
        for (j = 0; j < n; j++) {
            if (a[i][j] == 0.0)
                break;
            s += a[i][j];
        }
        col[i] = j;
        sums[i] = s;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int find_in_matrix(int m, int n, int a[m][n], int key, int *row, int *column) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            if (a[i][j] == key) {
                *row = i;
                *column = j;
                return 1;
            }
    return 0;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c refused TL114
bool is_symmetric(int n, const float a[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (a[i][j] != a[j][i])
                return false;
    return true;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double dot_until(int n, const double *a, const double *b, int *stopped) {
    double s = 0;
    *stopped = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] < 0) {
            *stopped = 1;
            break;
        }
        if (b[i] < 0) {
            *stopped = 2;
            break;
        }
        s += a[i] * b[i];
    }
    return s;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
int last_before(int n, const int *x, int t) {
    int last = -1, i = 0;
    do {
        if (x[i] > t)
            break;
        last = x[i];
        i++;
    } while (i < n);
    return last;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double max_until_zero(int n, const double *x) {
    double best = x[0];
    for (int i = 1; i < n; i++) {
        if (x[i] == 0)
            break;
        if (x[i] > best)
            best = x[i];
    }
    return best;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg refused TL114, c refused TL114
int returned_behind_a_store(int n, double *x) {
  for (int i = 0; i < n; i++)
    if (x[i] > 1) {
      x[0] = 5;
      return (int)x[i];
    }
  return n;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg refused TL406, c refused TL112
int stored_behind_a_store(int n, double *x) {
  for (int i = 0; i < n; i++)
    if (x[i] > 1) {
      x[0] = 5;
      x[1] = x[i];
      break;
    }
  return n;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo refused TL112, linalg loop-free, c refused TL112
double first_above_or_last(int n, const double *x, double level)
{
    double found = 0;
    for (int i = 0; i < n; i++) {
        found = x[i];
        if (found > level)
            break;
    }
    return found;
}

// expect: numpy scan, jax scan, torch scan, stablehlo refused TL515, linalg scan, c loop-free
int sampled(const float *probabilities, int n, float coin) {
    float cdf = 0.0f;
    for (int i = 0; i < n; i++) {
        cdf += probabilities[i];
        if (coin < cdf)
            return i;
    }
    return n - 1; /* in case of rounding errors */
}
