// expect: loop-free
// A lambda that captures by reference.
#include <vector>

double lambda_variance(const std::vector<double> &v) {
    double mean = 0.0;
    for (double x : v) {
        mean += x;
    }
    mean /= v.size();
    auto squared = [&](double x) { return (x - mean) * (x - mean); };
    double sum = 0.0;
    for (double x : v) {
        sum += squared(x);
    }
    return sum / v.size();
}
