// expect: loop-free
// A full convolution into a vector of the sum of the lengths.
#include <vector>

std::vector<double> convolve_full(const std::vector<double> &x, const std::vector<double> &h) {
    std::vector<double> y(x.size() + h.size() - 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t k = 0; k < h.size(); ++k) {
            y[i + k] += x[i] * h[k];
        }
    }
    return y;
}
