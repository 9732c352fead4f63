// expect: loop-free
// Counting with a condition, the size read once.
#include <vector>

int count_above(const std::vector<double> &v, double limit) {
    int n = static_cast<int>(v.size());
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (v[i] > limit) {
            count++;
        }
    }
    return count;
}
