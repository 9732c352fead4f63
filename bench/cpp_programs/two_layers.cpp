// expect: loop-free
// A network of two layers with member functions, and a rectifier between them.
#include <cstddef>
#include <vector>

struct Linear {
    std::vector<std::vector<float>> weight;
    std::vector<float> bias;
    std::vector<float> forward(const std::vector<float> &x) const {
        std::vector<float> y(weight.size());
        for (std::size_t o = 0; o < weight.size(); o++) {
            y[o] = bias[o];
            for (std::size_t i = 0; i < x.size(); i++) y[o] += weight[o][i] * x[i];
        }
        return y;
    }
};

struct Mlp {
    Linear first, second;
};

std::vector<float> two_layers(const Mlp &mlp, const std::vector<float> &x) {
    auto hidden = mlp.first.forward(x);
    for (auto &v : hidden) {
        if (v < 0) v = 0;
    }
    return mlp.second.forward(hidden);
}
