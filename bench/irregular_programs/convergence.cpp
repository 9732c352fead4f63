// Loops of which data say how long they run: Newton, bisection, power iteration, sweeps until nothing changes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double newton_cbrt(double a, double tol)
{
    double x = a;
    double step;
    do {
        step = (x * x * x - a) / (3.0 * x * x);
        x -= step;
    } while (std::abs(step) > tol);
    return x;
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
int smooth(std::vector<double> &u, std::vector<double> &v, double tol)
{
    int it = 0;
    double change = tol + 1.0;
    while (change > tol) {
        change = 0.0;
        for (std::size_t i = 1; i + 1 < u.size(); ++i) {
            v[i] = 0.25 * (u[i - 1] + u[i] + u[i + 1]);
            change = std::max(change, std::abs(v[i] - u[i]));
        }
        for (std::size_t i = 1; i + 1 < u.size(); ++i)
            u[i] = v[i];
        ++it;
    }
    return it;
}

template <typename T> static T halvings(T n)
{
    T k = 0;
    while (n > 1) {
        n /= 2;
        ++k;
    }
    return k;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
long depth(long n)
{
    return halvings<long>(n);
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c refused TL406
void normalise(std::vector<float> &x, int max_it)
{
    for (int it = 0; it < max_it; ++it) {
        float s = 0.0f;
        for (float v : x)
            s += v * v;
        if (s <= 1.0f)
            break;
        for (float &v : x)
            v *= 0.5f;
    }
}
