// transformer_part1: out'(t) = (sum_i q(head*head_size + i) * K(t, head*head_size + i)) / sqrt(head_size).
#include <cmath>
#include <vector>

std::vector<double> transformer_part1(int token_position, int head, int head_size,
                                      std::vector<std::vector<double>> key_cache_layer, std::vector<double> q) {
    std::vector<double> out;
    for (int t = 0; t < token_position; t++) {
        double score = 0.0;
        for (int i = 0; i < head_size; i++) {
            score += q[head * head_size + i] * key_cache_layer[t][head * head_size + i];
        }
        score /= std::sqrt(head_size);
        out.push_back(score);
    }
    return out;
}
