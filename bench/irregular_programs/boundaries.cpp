// Windows at the edges: clamped, wrapped, or left out.
#include <algorithm>
#include <cstddef>
#include <vector>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
std::vector<double> clamped_mean(const std::vector<double> &x)
{
    const int n = static_cast<int>(x.size());
    std::vector<double> y(x.size());
    for (int i = 0; i < n; ++i)
        y[i] = (x[std::max(i - 1, 0)] + x[i] + x[std::min(i + 1, n - 1)]) / 3;
    return y;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void periodic_laplacian(int n, const double *u, double *out)
{
    for (int i = 0; i < n; ++i)
        out[i] = u[(i + n - 1) % n] - 2 * u[i] + u[(i + 1) % n];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void life(const std::vector<std::vector<int>> &now, std::vector<std::vector<int>> &next)
{
    const int h = now.size(), w = now[0].size();
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            int alive = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    if (dy != 0 || dx != 0)
                        alive += now[(y + dy + h) % h][(x + dx + w) % w];
            next[y][x] = alive == 3 || (alive == 2 && now[y][x]);
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
template <typename T> void same(const std::vector<T> &x, const std::vector<T> &kernel, std::vector<T> &y)
{
    const int n = x.size(), m = kernel.size();
    for (int i = 0; i < n; ++i) {
        T sum = 0;
        for (int k = 0; k < m; ++k) {
            const int j = i + k - m / 2;
            if (j >= 0 && j < n)
                sum += kernel[k] * x[j];
        }
        y[i] = sum;
    }
}

template void same<float>(const std::vector<float> &, const std::vector<float> &, std::vector<float> &);

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void wrapped_window(std::vector<double> &y, const std::vector<double> &x, const std::vector<double> &w)
{
    const int n = x.size(), m = w.size();
    for (int i = 0; i < n; ++i) {
        double s = 0;
        for (int k = 0; k < m; ++k)
            s += w[k] * x[(i + k) % n];
        y[i] = s;
    }
}
