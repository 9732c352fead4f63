// transformer_part1: out'(t) = tdiv(sum_i q(h*s + i) * K(t, h*s + i), root(s)), root the identity.
// Plain C form of a kernel on std::vector.
static int root(int x) {
    return x;
}

void transformer_part1(int token_position, int head, int head_size, int *key_cache_layer, int *q, int *out, int dim) {
    for (int t = 0; t < token_position; t++) {
        int score = 0;
        for (int i = 0; i < head_size; i++) {
            score += q[head * head_size + i] * key_cache_layer[t * dim + head * head_size + i];
        }
        score /= root(head_size);
        out[t] = score;
    }
}
