// transformer_part2: out'(i) = sum over t in [0,token_position] of attention(t) * V(t, head*head_size + i).
// Plain C form of a kernel on std::vector.
void transformer_part2(int token_position, int head, int head_size, int *key_cache_layer, int *attention, int *out,
                       int dim) {
    for (int i = 0; i < head_size; i++) {
        int sum = 0;
        for (int t = 0; t <= token_position; t++) {
            sum += attention[t] * key_cache_layer[t * dim + head * head_size + i];
        }
        out[i] = sum;
    }
}
