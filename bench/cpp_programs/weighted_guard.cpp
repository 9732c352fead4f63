// expect: loop-free
// An early return for an empty vector; elements chosen by a condition.
#include <vector>

std::vector<double> weighted_guard(const std::vector<double> &v, const std::vector<int> &keep, double w) {
    if (v.empty()) {
        return {};
    }
    std::vector<double> out(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        out[i] = keep[i] != 0 ? w * v[i] : 0.0;
    }
    return out;
}
