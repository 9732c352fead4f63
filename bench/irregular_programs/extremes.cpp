// Extremes with their places.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int argmax(const std::vector<double> &x) {
  double best = -std::numeric_limits<double>::infinity();
  int at = -1;
  for (int i = 0; i < (int)x.size(); ++i)
    if (x[i] > best) {
      best = x[i];
      at = i;
    }
  return at;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg loop-free, c hybrid
void argmin2(const double *a, int n, int m, int &row, int &col) {
  double best = a[0];
  row = col = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (a[i * m + j] < best) {
        best = a[i * m + j];
        row = i;
        col = j;
      }
}

// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo loop-free, linalg loop-free, c loop-free
std::size_t last_max(const std::vector<float> &v) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < v.size(); ++i)
    if (!(v[i] < v[best]))
      best = i;
  return best;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int largest_abs(const std::vector<double> &v) {
  int k = 0;
  for (int i = 1; i < (int)v.size(); ++i)
    if (std::abs(v[i]) > std::abs(v[k]))
      k = i;
  return k;
}
