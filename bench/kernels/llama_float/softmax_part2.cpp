// softmax_part2: out'(i) = exp(input(i) - max_val).
#include <cmath>
#include <vector>

std::vector<double> softmax_part2(std::vector<double> input, int max_pos, double max_val) {
    std::vector<double> out;
    for (int i = 0; i < max_pos; i++) {
        double value = std::exp(input[i] - max_val);
        out.push_back(value);
    }
    return out;
}
