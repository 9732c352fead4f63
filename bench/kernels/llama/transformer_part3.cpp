// transformer_part3: out'(i) = x * tdiv(1, 1 + power(0 - x)), x = input(i), with the identity for power.
#include <vector>

static int power(int x) {
    return x;
}

std::vector<int> transformer_part3(std::vector<int> input, int hidden_dim) {
    std::vector<int> out;
    for (int i = 0; i < hidden_dim; i++) {
        int gate = 1 / (1 + power(0 - input[i]));
        out.push_back(input[i] * gate);
    }
    return out;
}
