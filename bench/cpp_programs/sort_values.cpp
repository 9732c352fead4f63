// expect: refused
// std::sort has no form in the loop IR.
#include <algorithm>
#include <vector>

void sort_values(std::vector<double> &v) {
    std::sort(v.begin(), v.end());
}
