// expect: loop-free
// std::inner_product of two vectors.
#include <numeric>
#include <vector>

float inner_product_all(const std::vector<float> &a, const std::vector<float> &b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
}
