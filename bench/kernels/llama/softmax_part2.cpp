// softmax_part2: out'(i) = power(input(i) - max_val) with the identity for power.
#include <vector>

static int power(int x) {
    return x;
}

std::vector<int> softmax_part2(std::vector<int> input, int max_pos, int max_val) {
    std::vector<int> out;
    for (int i = 0; i < max_pos; i++) {
        int value = power(input[i] - max_val);
        out.push_back(value);
    }
    return out;
}
