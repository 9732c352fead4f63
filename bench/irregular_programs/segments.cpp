// Bounds that depend on data: sparse matrices, ragged rows, batches padded to one length.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void multiply(const std::vector<int> &start, const std::vector<int> &column, const std::vector<double> &value,
              const std::vector<double> &x, std::vector<double> &y)
{
    for (std::size_t r = 0; r + 1 < start.size(); ++r) {
        double sum = 0;
        for (int k = start[r]; k < start[r + 1]; ++k)
            sum += value[k] * x[column[k]];
        y[r] = sum;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
template <typename T> void row_sums(std::size_t rows, const int *offset, const T *values, T *sums)
{
    for (std::size_t i = 0; i < rows; ++i) {
        T s{};
        for (auto j = offset[i]; j < offset[i + 1]; ++j)
            s += values[j];
        sums[i] = s;
    }
}

template void row_sums<float>(std::size_t, const int *, const float *, float *);

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
std::vector<float> row_peaks(const std::vector<int> &offset, const std::vector<float> &values)
{
    std::vector<float> peak(offset.size() - 1, -std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < peak.size(); ++i)
        for (int j = offset[i]; j < offset[i + 1]; ++j)
            peak[i] = std::max(peak[i], values[j]);
    return peak;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void masked_means(const std::vector<std::vector<double>> &batch, const std::vector<int> &length, std::vector<double> &mean)
{
    for (std::size_t b = 0; b < batch.size(); ++b) {
        double total = 0.0;
        for (int t = 0; t < length[b]; ++t)
            total += batch[b][t];
        mean[b] = length[b] > 0 ? total / length[b] : 0.0;
    }
}
