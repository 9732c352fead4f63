// Symbolic strides and steps, tiles, packed triangles.
#include <algorithm>
#include <cstddef>
#include <vector>

// expect: numpy unchanged, jax hybrid, torch refused TL307, stablehlo hybrid, linalg hybrid, c refused TL402
void every_sth(std::vector<double> &a, const std::vector<double> &b, std::size_t s) {
  for (std::size_t i = 0; i < a.size(); i += s)
    a[i] = b[i] + 1.0;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void take_stride(const std::vector<float> &a, int s, std::vector<float> &c) {
  for (int i = 0; i < (int)c.size(); ++i)
    c[i] = a[s * i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void tiled_scale(std::vector<double> &x, int t, double alpha) {
  const int n = x.size();
  for (int ii = 0; ii < n; ii += t)
    for (int i = ii; i < std::min(ii + t, n); ++i)
      x[i] *= alpha;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double packed_trace(const std::vector<double> &p, int n) {
  double t = 0;
  for (int i = 0; i < n; ++i)
    t += p[i * (i + 1) / 2 + i];
  return t;
}
