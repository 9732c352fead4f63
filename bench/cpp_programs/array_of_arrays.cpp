// expect: loop-free
// A matrix of constant size in nested std::array times a std::array.
#include <array>

std::array<double, 4> array_of_arrays(const std::array<std::array<double, 4>, 4> &m, const std::array<double, 4> &x) {
    std::array<double, 4> y{};
    for (std::size_t i = 0; i < m.size(); ++i) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            y[i] += m[i][j] * x[j];
        }
    }
    return y;
}
