// expect: hybrid
// Two buffers that are exchanged after each step.
#include <utility>
#include <vector>

void heat_steps(std::vector<double> &u, int steps) {
    std::vector<double> v(u);
    for (int t = 0; t < steps; t++) {
        for (std::size_t i = 1; i + 1 < u.size(); i++) {
            v[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
        }
        std::swap(u, v);
    }
}
