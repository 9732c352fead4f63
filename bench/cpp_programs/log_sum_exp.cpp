// expect: loop-free
// *std::max_element, then a stable logarithm of a sum of exponentials.
#include <algorithm>
#include <cmath>
#include <vector>

double log_sum_exp(const std::vector<double> &x) {
    double top = *std::max_element(x.begin(), x.end());
    double sum = 0.0;
    for (double v : x) {
        sum += std::exp(v - top);
    }
    return top + std::log(sum);
}
