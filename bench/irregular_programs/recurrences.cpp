// Linear recurrences: each cell needs the one, or the few, before it.
#include <cstddef>
#include <vector>

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
std::vector<double> ema(const std::vector<double> &x, double alpha)
{
    std::vector<double> y(x.size());
    double h = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        h += alpha * (x[i] - h);
        y[i] = h;
    }
    return y;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
template <typename T> void resonator(std::vector<T> &signal, T b, T a1, T a2)
{
    T y1 = 0, y2 = 0;
    for (T &v : signal) {
        const T y = b * v - a1 * y1 - a2 * y2;
        y2 = y1;
        y1 = y;
        v = y;
    }
}

template void resonator<float>(std::vector<float> &, float, float, float);

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void discounted(const std::vector<double> &reward, double gamma, std::vector<double> &value)
{
    double v = 0.0;
    for (std::size_t t = reward.size(); t-- > 0;) {
        v = reward[t] + gamma * v;
        value[t] = v;
    }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void smooth_columns(std::vector<std::vector<double>> &image, double a)
{
    for (std::size_t y = 1; y < image.size(); ++y)
        for (std::size_t x = 0; x < image[y].size(); ++x)
            image[y][x] = a * image[y - 1][x] + (1 - a) * image[y][x];
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double horner(const std::vector<double> &coefficients, double x)
{
    double p = 0.0;
    for (double c : coefficients)
        p = p * x + c;
    return p;
}
