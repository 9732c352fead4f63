// Data chooses the cell that is written or updated; of those that write one cell the last wins.
#include <cstddef>
#include <vector>
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void scatter(const std::vector<int> &idx, const std::vector<double> &x, std::vector<double> &y)
{
    for (std::size_t i = 0; i < idx.size(); ++i)
        y[idx[i]] = x[i];
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
std::vector<int> histogram(const std::vector<unsigned char> &image)
{
    std::vector<int> count(256);
    for (unsigned char byte : image)
        count[byte]++;
    return count;
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
template <typename T> void coo_multiply(std::size_t nnz, const int *row, const int *col, const T *val, const T *x, T *y)
{
    for (std::size_t k = 0; k < nnz; ++k)
        y[row[k]] += val[k] * x[col[k]];
}

template void coo_multiply<float>(std::size_t, const int *, const int *, const float *, const float *, float *);
