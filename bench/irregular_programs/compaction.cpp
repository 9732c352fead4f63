// Conditional counters: what some iterations count is a place, an index or a number of its own.
#include <cstddef>
#include <vector>

// expect:
int count_above(const std::vector<double> &x, double t)
{
    int k = 0;
    for (double v : x)
        if (v > t)
            ++k;
    return k;
}

// expect:
std::size_t compress_positive(const std::vector<double> &x, std::vector<double> &out)
{
    std::size_t k = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > 0.0)
            out[k++] = x[i];
    return k;
}

// expect:
void unpack(const std::vector<bool> &mask, const std::vector<float> &packed, std::vector<float> &out)
{
    std::size_t k = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (mask[i])
            out[i] = packed[k++];
}

// expect:
void merge_by_flags(int n, const int *flags, const double *a, const double *b, double *__restrict out)
{
    for (int k = 0, i = 0, j = 0; k < n; ++k)
        out[k] = flags[k] ? a[i++] : b[j++];
}

// expect:
std::vector<double> positives(const std::vector<double> &x)
{
    std::vector<double> out;
    for (double v : x)
        if (v > 0.0)
            out.push_back(v);
    return out;
}
