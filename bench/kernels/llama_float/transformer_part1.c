// transformer_part1: out'(t) = (sum_i q(head*head_size + i) * K(t, head*head_size + i)) / sqrt(head_size).
// Plain C form of a kernel on std::vector.
#include <math.h>

void transformer_part1(int token_position, int head, int head_size, double *key_cache_layer, double *q, double *out,
                       int dim) {
    for (int t = 0; t < token_position; t++) {
        double score = 0.0;
        for (int i = 0; i < head_size; i++) {
            score += q[head * head_size + i] * key_cache_layer[t * dim + head * head_size + i];
        }
        score /= sqrt((double)head_size);
        out[t] = score;
    }
}
