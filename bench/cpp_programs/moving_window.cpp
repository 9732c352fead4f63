// expect: loop-free
// Windows of a constant width, a constexpr.
#include <vector>

constexpr std::size_t width = 4;

std::vector<double> moving_window(const std::vector<double> &x) {
    std::vector<double> y;
    for (std::size_t i = 0; i + width < x.size() + 1; ++i) {
        double s = 0.0;
        for (std::size_t k = 0; k < width; ++k) {
            s += x[i + k];
        }
        y.push_back(s / width);
    }
    return y;
}
