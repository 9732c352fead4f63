// expect: loop-free
// Column means of a matrix of rows; the rows are bound by reference.
#include <vector>

std::vector<double> column_means(const std::vector<std::vector<double>> &rows) {
    std::vector<double> mean(rows[0].size(), 0.0);
    for (const auto &row : rows) {
        for (std::size_t j = 0; j < mean.size(); ++j) {
            mean[j] += row[j];
        }
    }
    for (double &m : mean) {
        m /= static_cast<double>(rows.size());
    }
    return mean;
}
