// expect: loop-free
// Two vectors, updated in one loop.
#include <vector>

void momentum_step(std::vector<float> &w, const std::vector<float> &g, float rate, float momentum,
                   std::vector<float> &v) {
    for (std::size_t i = 0; i != w.size(); ++i) {
        v[i] = momentum * v[i] + g[i];
        w[i] -= rate * v[i];
    }
}
