// transformer_part4: out'(i) = input1(i) * input2(i).
// Plain C form of a kernel on std::vector.
void transformer_part4(int *input1, int *input2, int hidden_dim, int *out) {
    for (int i = 0; i < hidden_dim; i++) {
        out[i] = input1[i] * input2[i];
    }
}
