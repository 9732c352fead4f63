// transformer_part3: out'(i) = x * (1 / (1 + exp(-x))), x = input(i).
#include <cmath>
#include <vector>

std::vector<double> transformer_part3(std::vector<double> input, int hidden_dim) {
    std::vector<double> out;
    for (int i = 0; i < hidden_dim; i++) {
        double gate = 1.0 / (1.0 + std::exp(0.0 - input[i]));
        out.push_back(input[i] * gate);
    }
    return out;
}
