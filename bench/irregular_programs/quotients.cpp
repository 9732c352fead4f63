// Quotients and remainders in subscripts.
#include <cstddef>
#include <vector>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void repeat_each(std::vector<double> &y, const std::vector<double> &c) {
  for (std::size_t i = 0; i < y.size(); i++)
    y[i] = c[i / 3];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void two_tables(std::vector<double> &y, const double *row, const double *col) {
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = row[i / 7] * col[i % 7];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
template <int B> void scale(int n, float *w, const float *q, const float *s) {
  for (int i = 0; i < n; i++)
    w[i] = s[i / B] * q[i];
}

template void scale<32>(int, float *, const float *, const float *);
