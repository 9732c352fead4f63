// expect: loop-free
// The transpose of a vector of vectors.
#include <vector>

std::vector<std::vector<double>> transpose_rows(const std::vector<std::vector<double>> &a) {
    std::vector<std::vector<double>> t(a[0].size(), std::vector<double>(a.size()));
    for (std::size_t i = 0; i < a.size(); i++) {
        for (std::size_t j = 0; j < a[0].size(); j++) {
            t[j][i] = a[i][j];
        }
    }
    return t;
}
