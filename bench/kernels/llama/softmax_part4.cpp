// softmax_part4: out'(i) = tdiv(unnormalized_output(i), sum).
#include <vector>

std::vector<int> softmax_part4(std::vector<int> unnormalized_output, int max_pos, int sum) {
    std::vector<int> out;
    for (int i = 0; i < max_pos; i++) {
        out.push_back(unnormalized_output[i] / sum);
    }
    return out;
}
