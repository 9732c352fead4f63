// Scans that are no sums: the value last seen, the best so far, gains over a running minimum.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void running_max(const std::vector<float> &x, std::vector<float> &best)
{
    float m = x[0];
    for (std::size_t i = 0; i < x.size(); ++i) {
        m = std::max(m, x[i]);
        best[i] = m;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void forward_fill(std::vector<double> &x)
{
    double last = 0.0;
    for (auto &v : x) {
        if (std::isnan(v))
            v = last;
        else
            last = v;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c loop-free
int best_profit(const std::vector<int> &prices)
{
    int lowest = prices[0], profit = 0;
    for (int price : prices) {
        lowest = std::min(lowest, price);
        profit = std::max(profit, price - lowest);
    }
    return profit;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double best_run(const std::vector<double> &x)
{
    double here = 0.0, best = 0.0;
    for (double v : x) {
        here = std::max(0.0, here + v);
        best = std::max(best, here);
    }
    return best;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void saturating(const std::vector<int> &step, int limit, std::vector<int> &level)
{
    int l = 0;
    for (std::size_t i = 0; i < step.size(); ++i) {
        l = std::clamp(l + step[i], 0, limit);
        level[i] = l;
    }
}
