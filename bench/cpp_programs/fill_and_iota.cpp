// expect: loop-free
// std::iota and std::fill on parts of a vector.
#include <algorithm>
#include <numeric>
#include <vector>

std::vector<int> fill_and_iota(int n, int start) {
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), start);
    std::fill(v.begin(), v.begin() + 1, -1);
    return v;
}
