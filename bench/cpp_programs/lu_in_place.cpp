// expect: hybrid
// A factorisation without pivots.
#include <vector>

void lu_in_place(std::vector<std::vector<double>> &a) {
    const std::size_t n = a.size();
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = k + 1; i < n; ++i) {
            a[i][k] /= a[k][k];
            for (std::size_t j = k + 1; j < n; ++j) a[i][j] -= a[i][k] * a[k][j];
        }
    }
}
