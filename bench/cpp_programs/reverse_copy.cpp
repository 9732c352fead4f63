// expect: loop-free
// A vector is read from its back.
#include <vector>

std::vector<float> reverse_copy(const std::vector<float> &v) {
    std::vector<float> out;
    for (std::size_t i = v.size(); i > 0; --i) {
        out.push_back(v[i - 1]);
    }
    return out;
}
