// Complex numbers: std::complex, and pairs stored interleaved.
#include <complex>
#include <vector>

// expect: numpy refused TL127, jax refused TL127, torch refused TL127, stablehlo refused TL127, linalg refused TL127, c refused TL127
void scale(std::vector<std::complex<double>> &x, std::complex<double> a) {
  for (auto &v : x)
    v *= a;
}

// expect: numpy refused TL127, jax refused TL127, torch refused TL127, stablehlo refused TL127, linalg refused TL127, c refused TL127
void norms(const std::vector<std::complex<double>> &x, std::vector<double> &r) {
  for (std::size_t i = 0; i < x.size(); ++i)
    r[i] = std::norm(x[i]);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo refused TL401, linalg loop-free, c loop-free
void squares(const std::vector<double> &z, std::vector<double> &w) {
  for (std::size_t i = 0; i + 1 < z.size(); i += 2) {
    w[i] = z[i] * z[i] - z[i + 1] * z[i + 1];
    w[i + 1] = 2 * z[i] * z[i + 1];
  }
}
