// expect: loop-free
// Helpers that return vectors are read in place.
#include <vector>

static std::vector<double> difference(const std::vector<double> &a, const std::vector<double> &b) {
    std::vector<double> d;
    for (std::size_t i = 0; i < a.size(); ++i) {
        d.push_back(a[i] - b[i]);
    }
    return d;
}

static double square_sum(const std::vector<double> &v) {
    double s = 0.0;
    for (double x : v) {
        s += x * x;
    }
    return s;
}

double helper_returns_vector(const std::vector<double> &a, const std::vector<double> &b) {
    return square_sum(difference(a, b));
}
