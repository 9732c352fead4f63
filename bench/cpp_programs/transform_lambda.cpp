// expect: loop-free
// std::transform of two vectors with a lambda.
#include <algorithm>
#include <vector>

std::vector<double> transform_lambda(const std::vector<double> &a, const std::vector<double> &b) {
    std::vector<double> out(a.size());
    std::transform(a.begin(), a.end(), b.begin(), out.begin(), [](double x, double y) { return x * y + 1.0; });
    return out;
}
