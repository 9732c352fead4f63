// rmsnorm_part1: s = sum_i input(i)^2.
#include <vector>

int rmsnorm_part1(std::vector<int> input, std::vector<int> weight) {
    int ss = 0;
    (void)weight;
    for (std::size_t i = 0; i < input.size(); i++) {
        ss += input[i] * input[i];
    }
    return ss;
}
