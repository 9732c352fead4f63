// expect: scan
// A running sum, appended with back().
#include <vector>

std::vector<long> prefix_sum(const std::vector<int> &v) {
    std::vector<long> out;
    long total = 0;
    for (int x : v) {
        total += x;
        out.push_back(total);
    }
    return out;
}
