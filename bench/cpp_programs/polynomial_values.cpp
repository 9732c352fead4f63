// expect: hybrid
// A polynomial of degree three at many points, coefficients in a std::array.
#include <array>
#include <vector>

std::vector<double> polynomial_values(const std::array<double, 4> &c, const std::vector<double> &x) {
    std::vector<double> y;
    for (double t : x) {
        double value = 0.0;
        for (int k = 3; k >= 0; --k) {
            value = value * t + c[k];
        }
        y.push_back(value);
    }
    return y;
}
