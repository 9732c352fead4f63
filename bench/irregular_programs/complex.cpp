// Complex numbers: std::complex, and pairs stored interleaved.
#include <complex>
#include <numeric>
#include <vector>

using namespace std::complex_literals;
using cplx = std::complex<double>;

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void scale(std::vector<std::complex<double>> &x, std::complex<double> a) {
  for (auto &v : x)
    v *= a;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void norms(const std::vector<std::complex<double>> &x, std::vector<double> &r) {
  for (std::size_t i = 0; i < x.size(); ++i)
    r[i] = std::norm(x[i]);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
cplx inner_product(const std::vector<cplx> &x, const std::vector<cplx> &y) {
  cplx sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += std::conj(x[i]) * y[i];
  return sum;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
std::vector<cplx> phases(const std::vector<double> &t, double w) {
  std::vector<cplx> z(t.size());
  for (std::size_t i = 0; i < t.size(); ++i)
    z[i] = std::exp(1i * w * t[i]) / 2.0;
  return z;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
cplx mean(const std::vector<cplx> &x) {
  return std::accumulate(x.begin(), x.end(), cplx(0)) / static_cast<double>(x.size());
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
template <typename T> void axpy(T a, const std::vector<T> &x, std::vector<T> &y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] += a * x[i];
}

template void axpy(std::complex<float>, const std::vector<std::complex<float>> &, std::vector<std::complex<float>> &);

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void escape(const std::vector<cplx> &c, std::vector<cplx> &z, std::vector<int> &steps) {
  for (std::size_t i = 0; i < z.size(); ++i)
    if (std::norm(z[i]) <= 4.0) {
      z[i] = z[i] * z[i] + c[i];
      ++steps[i];
    }
}

// expect: numpy refused TL143, jax refused TL143, torch refused TL143, stablehlo refused TL143, linalg refused TL143, c refused TL143
double angles(const std::vector<cplx> &x) {
  double total = 0;
  for (const auto &v : x)
    total += std::arg(v);
  return total;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo refused TL401, linalg loop-free, c loop-free
void squares(const std::vector<double> &z, std::vector<double> &w) {
  for (std::size_t i = 0; i + 1 < z.size(); i += 2) {
    w[i] = z[i] * z[i] - z[i + 1] * z[i + 1];
    w[i + 1] = 2 * z[i] * z[i + 1];
  }
}
