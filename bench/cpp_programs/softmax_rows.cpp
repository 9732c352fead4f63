// expect: loop-free
// A softmax of each row, in place, through a reference to the row.
#include <algorithm>
#include <cmath>
#include <vector>

void softmax_rows(std::vector<std::vector<double>> &x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto &row = x[i];
        double top = row[0];
        for (std::size_t j = 1; j < row.size(); ++j) {
            top = std::max(top, row[j]);
        }
        double sum = 0.0;
        for (std::size_t j = 0; j < row.size(); ++j) {
            row[j] = std::exp(row[j] - top);
            sum += row[j];
        }
        for (std::size_t j = 0; j < row.size(); ++j) {
            row[j] /= sum;
        }
    }
}
