// expect: loop-free
// A loop over iterators, with auto.
#include <vector>

long iterator_loop(const std::vector<int> &v) {
    long total = 0;
    for (auto it = v.begin(); it != v.end(); ++it) {
        total += *it;
    }
    return total;
}
