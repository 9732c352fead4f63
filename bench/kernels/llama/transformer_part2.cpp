// transformer_part2: out'(i) = sum over t in [0,token_position] of attention(t) * V(t, head*head_size + i).
#include <vector>

std::vector<int> transformer_part2(int token_position, int head, int head_size,
                                   std::vector<std::vector<int>> key_cache_layer, std::vector<int> attention) {
    std::vector<int> out;
    for (int i = 0; i < head_size; i++) {
        int sum = 0;
        for (int t = 0; t <= token_position; t++) {
            sum += attention[t] * key_cache_layer[t][head * head_size + i];
        }
        out.push_back(sum);
    }
    return out;
}
