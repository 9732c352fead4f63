// transformer_part4: out'(i) = input1(i) * input2(i).
#include <vector>

std::vector<int> transformer_part4(std::vector<int> input1, std::vector<int> input2, int hidden_dim) {
    std::vector<int> out;
    for (int i = 0; i < hidden_dim; i++) {
        out.push_back(input1[i] * input2[i]);
    }
    return out;
}
