// softmax_part1: m = max over i in [0,max_pos) of input(i), max_pos >= 1.
#include <vector>

int softmax_part1(std::vector<int> input, int max_pos) {
    int max_val = input[0];
    for (int i = 1; i < max_pos; i++) {
        if (input[i] > max_val) {
            max_val = input[i];
        }
    }
    return max_val;
}
