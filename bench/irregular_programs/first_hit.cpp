// First hits, and prefixes up to them, as people write them.
#include <cstddef>
#include <vector>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
std::ptrdiff_t find_first(const std::vector<int> &v, int key) {
    for (std::size_t i = 0; i < v.size(); ++i)
        if (v[i] == key)
            return static_cast<std::ptrdiff_t>(i);
    return -1;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double prefix_sum(const std::vector<double> &v) {
    double s = 0;
    for (auto x : v) {
        if (x < 0)
            break;
        s += x;
    }
    return s;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void truncate(std::vector<float> &v, float limit) {
    for (auto &x : v) {
        if (x > limit)
            break;
        x = 0.0f;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
bool all_positive(const std::vector<double> &v) {
    for (double x : v)
        if (!(x > 0))
            return false;
    return true;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
int copy_prefix(const int *from, int *to, int n, int stop) {
    int k = 0;
    while (k < n) {
        if (from[k] == stop)
            break;
        to[k] = from[k];
        ++k;
    }
    return k;
}
