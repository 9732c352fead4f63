// transformer_part3: out'(i) = x * tdiv(1, 1 + power(0 - x)), x = input(i), with the identity for power.
// Plain C form of a kernel on std::vector.
static int power(int x) {
    return x;
}

void transformer_part3(int *input, int hidden_dim, int *out) {
    for (int i = 0; i < hidden_dim; i++) {
        int gate = 1 / (1 + power(0 - input[i]));
        out[i] = input[i] * gate;
    }
}
