// expect: loop-free
// std::accumulate over a vector.
#include <numeric>
#include <vector>

double accumulate_all(const std::vector<double> &v) {
    return std::accumulate(v.begin(), v.end(), 0.0);
}
