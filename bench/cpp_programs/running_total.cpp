// expect: scan
// Partial sums by the algorithm.
#include <numeric>
#include <vector>

std::vector<double> running_total(const std::vector<double> &v) {
    std::vector<double> out(v.size());
    std::partial_sum(v.begin(), v.end(), out.begin());
    return out;
}
