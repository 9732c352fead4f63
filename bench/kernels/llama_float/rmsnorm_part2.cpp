// rmsnorm_part2: out'(i) = input(i) * weight(i) / sqrt(ss / n + 1), the root recomputed in the loop.
#include <cmath>
#include <vector>

std::vector<double> rmsnorm_part2(std::vector<double> input, std::vector<double> weight, double ss) {
    std::vector<double> out;
    int size = input.size();
    for (int i = 0; i < size; i++) {
        double scale = 1.0 / std::sqrt(ss / size + 1.0);
        out.push_back(scale * input[i] * weight[i]);
    }
    return out;
}
