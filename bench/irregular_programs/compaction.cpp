// Conditional counters: what some iterations count is a place, an index or a number of its own.
#include <cstddef>
#include <vector>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int count_above(const std::vector<double> &x, double t)
{
    int k = 0;
    for (double v : x)
        if (v > t)
            ++k;
    return k;
}

// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo hybrid, linalg hybrid, c loop-free
std::size_t compress_positive(const std::vector<double> &x, std::vector<double> &out)
{
    std::size_t k = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > 0.0)
            out[k++] = x[i];
    return k;
}

// expect: numpy refused TL127, jax refused TL127, torch refused TL127, stablehlo refused TL127, linalg refused TL127, c refused TL127
void unpack(const std::vector<bool> &mask, const std::vector<float> &packed, std::vector<float> &out)
{
    std::size_t k = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (mask[i])
            out[i] = packed[k++];
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void merge_by_flags(int n, const int *flags, const double *a, const double *b, double *__restrict out)
{
    for (int k = 0, i = 0, j = 0; k < n; ++k)
        out[k] = flags[k] ? a[i++] : b[j++];
}

// expect: numpy refused TL130, jax refused TL130, torch refused TL130, stablehlo refused TL130, linalg refused TL130, c refused TL130
std::vector<double> positives(const std::vector<double> &x)
{
    std::vector<double> out;
    for (double v : x)
        if (v > 0.0)
            out.push_back(v);
    return out;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
int keep_below(int n, const float *x, float limit, float *__restrict out) {
  int kept = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] < limit)
      out[kept++] = x[i];
  return kept;
}
