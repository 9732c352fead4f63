// expect: loop-free
// Rows made by a constructor are appended one by one.
#include <vector>

std::vector<std::vector<double>> outer_product(const std::vector<double> &x, const std::vector<double> &y) {
    std::vector<std::vector<double>> out;
    for (double a : x) {
        std::vector<double> row(y.size());
        for (std::size_t j = 0; j < y.size(); ++j) {
            row[j] = a * y[j];
        }
        out.push_back(row);
    }
    return out;
}
