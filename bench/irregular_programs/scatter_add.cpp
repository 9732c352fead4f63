// Scatter with an operation: data chooses the cell that is updated.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void count_labels(const std::vector<int> &labels, std::vector<int> &count)
{
    std::fill(count.begin(), count.end(), 0);
    for (int label : labels)
        ++count[label];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void confusion(const std::vector<int> &truth, const std::vector<int> &guess, std::vector<std::vector<long>> &table)
{
    for (std::size_t i = 0; i < truth.size(); ++i)
        table[truth[i]][guess[i]] += 1;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
template <typename Key, typename Value>
void largest_by_key(const std::vector<Key> &key, const std::vector<Value> &value, std::vector<Value> &best)
{
    for (std::size_t i = 0; i < key.size(); ++i)
        best[key[i]] = std::max(best[key[i]], value[i]);
}

template void largest_by_key<int, double>(const std::vector<int> &, const std::vector<double> &, std::vector<double> &);

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
std::array<int, 16> nibbles(const std::vector<std::uint8_t> &bytes)
{
    std::array<int, 16> count{};
    for (auto b : bytes) {
        count[b & 15]++;
        count[b >> 4]++;
    }
    return count;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
std::vector<double> centroids_of(const std::vector<int> &cluster, const std::vector<double> &x, int k)
{
    std::vector<double> sum(k, 0.0), weight(k, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const int c = cluster[i];
        sum[c] += x[i];
        weight[c] += 1.0;
    }
    for (int c = 0; c < k; ++c)
        sum[c] /= std::max(weight[c], 1.0);
    return sum;
}
