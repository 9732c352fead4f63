// Reads at places that depend on data.
#include <cstddef>
#include <vector>
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void gather(const std::vector<int> &idx, const std::vector<double> &x, std::vector<double> &y)
{
    for (std::size_t i = 0; i < idx.size(); ++i)
        y[i] = x[idx[i]];
}
// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo loop-free, linalg loop-free, c loop-free
template <typename T> T gathered_sum(const T *x, const unsigned *idx, std::size_t n)
{
    T s = 0;
    for (std::size_t i = 0; i < n; ++i)
        s += x[idx[i]];
    return s;
}

template float gathered_sum<float>(const float *, const unsigned *, std::size_t);
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
std::vector<float> recolour(const std::vector<unsigned char> &image, const std::vector<float> &palette)
{
    std::vector<float> out(image.size());
    for (std::size_t i = 0; i < image.size(); ++i)
        out[i] = palette[image[i]];
    return out;
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void ellpack(int rows, int width, const double *value, const int *column, const double *x, double *y)
{
    for (int r = 0; r < rows; r++) {
        y[r] = 0;
        for (int k = 0; k < width; k++)
            y[r] += value[r * width + k] * x[column[r * width + k]];
    }
}
