// Functions with a domain under conditions, guarded loops, triangular stores, attention.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
std::vector<double> safe_ratio(const std::vector<double> &p, const std::vector<double> &q)
{
    std::vector<double> r(p.size(), 0.0);
    for (std::size_t i = 0; i < p.size(); ++i)
        if (q[i] > 0)
            r[i] = p[i] / q[i];
    return r;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void nested(const std::vector<double> &a, const std::vector<double> &p, std::vector<double> &q)
{
    auto root = [](double v) { return std::sqrt(v); };
    for (std::size_t i = 0; i < q.size(); ++i) {
        if (a[i] != 0.0) {
            if (p[i] >= 0)
                q[i] = root(p[i]) / a[i];
            else
                q[i] = -1.0;
        }
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void kernel_matrix(const std::vector<std::vector<double>> &x, double gamma, std::vector<std::vector<double>> &k)
{
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double s = 0.0;
            for (std::size_t d = 0; d < x[i].size(); ++d) {
                const double t = x[i][d] - x[j][d];
                s += t * t;
            }
            k[i][j] = k[j][i] = std::exp(-gamma * s);
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c hybrid
void attention(const std::vector<std::vector<float>> &q, const std::vector<std::vector<float>> &k,
               const std::vector<std::vector<float>> &v, std::vector<float> &score, std::vector<std::vector<float>> &out)
{
    for (std::size_t i = 0; i < q.size(); ++i) {
        float most = -std::numeric_limits<float>::infinity(), total = 0;
        for (std::size_t j = 0; j < k.size(); ++j) {
            float s = 0;
            for (std::size_t d = 0; d < q[i].size(); ++d)
                s += q[i][d] * k[j][d];
            score[j] = s;
            most = std::max(most, s);
        }
        for (std::size_t j = 0; j < k.size(); ++j) {
            score[j] = std::exp(score[j] - most);
            total += score[j];
        }
        for (std::size_t d = 0; d < v[0].size(); ++d) {
            float s = 0;
            for (std::size_t j = 0; j < k.size(); ++j)
                s += score[j] / total * v[j][d];
            out[i][d] = s;
        }
    }
}
