// expect: loop-free
// Rows against a vector by an algorithm, with an assertion on the sizes.
#include <cassert>
#include <numeric>
#include <vector>

std::vector<float> dense_checked(const std::vector<std::vector<float>> &w, const std::vector<float> &b,
                                 const std::vector<float> &x) {
    assert(w.size() == b.size());
    std::vector<float> y(b);
    for (std::size_t i = 0; i < w.size(); ++i) {
        y[i] += std::inner_product(w[i].begin(), w[i].end(), x.begin(), 0.0f);
    }
    return y;
}
