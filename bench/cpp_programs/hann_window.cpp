// expect: loop-free
// Constants of the file, and a vector that is appended to.
#include <cmath>
#include <vector>

constexpr double PI = 3.14159265358979323846;

std::vector<double> hann_window(int n) {
    std::vector<double> w;
    w.reserve(n);
    for (int i = 0; i < n; ++i) {
        w.emplace_back(0.5 * (1 - std::cos(2 * PI * i / (n - 1))));
    }
    return w;
}
