// expect: loop-free
// Pairs of elements, rotated.
#include <vector>

std::vector<float> rotary_embedding(const std::vector<float> &q, const std::vector<float> &c,
                                    const std::vector<float> &s) {
    std::vector<float> out(q.size());
    for (std::size_t i = 0; i < q.size() / 2; i++) {
        out[2 * i] = q[2 * i] * c[i] - q[2 * i + 1] * s[i];
        out[2 * i + 1] = q[2 * i] * s[i] + q[2 * i + 1] * c[i];
    }
    return out;
}
