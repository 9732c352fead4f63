// expect: loop-free
// A vector of three levels, summed along its last.
#include <vector>

using Volume = std::vector<std::vector<std::vector<double>>>;

std::vector<std::vector<double>> volume_sum(const Volume &v) {
    std::vector<std::vector<double>> out(v.size(), std::vector<double>(v[0].size(), 0.0));
    for (std::size_t i = 0; i < v.size(); i++) {
        for (std::size_t j = 0; j < v[0].size(); j++) {
            for (std::size_t k = 0; k < v[0][0].size(); k++) {
                out[i][j] += v[i][j][k];
            }
        }
    }
    return out;
}
