// transformer_part1: out'(t) = tdiv(sum_i q(h*s + i) * K(t, h*s + i), root(s)), root the identity.
#include <vector>

static int root(int x) {
    return x;
}

std::vector<int> transformer_part1(int token_position, int head, int head_size,
                                   std::vector<std::vector<int>> key_cache_layer, std::vector<int> q) {
    std::vector<int> out;
    for (int t = 0; t < token_position; t++) {
        int score = 0;
        for (int i = 0; i < head_size; i++) {
            score += q[head * head_size + i] * key_cache_layer[t][head * head_size + i];
        }
        score /= root(head_size);
        out.push_back(score);
    }
    return out;
}
