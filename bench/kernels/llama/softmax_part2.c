// softmax_part2: out'(i) = power(input(i) - max_val) with the identity for power.
// Plain C form of a kernel on std::vector.
static int power(int x) {
    return x;
}

void softmax_part2(int *input, int max_pos, int max_val, int *out) {
    for (int i = 0; i < max_pos; i++) {
        int value = power(input[i] - max_val);
        out[i] = value;
    }
}
