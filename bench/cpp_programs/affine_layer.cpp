// expect: loop-free
// A dense layer on nested vectors, with bias and rectification.
#include <algorithm>
#include <vector>

std::vector<float> affine_layer(const std::vector<std::vector<float>> &w, const std::vector<float> &b,
                                const std::vector<float> &x) {
    std::vector<float> y(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
        float s = b[i];
        for (std::size_t j = 0; j < x.size(); ++j) {
            s += w[i][j] * x[j];
        }
        y[i] = std::max(s, 0.0f);
    }
    return y;
}
