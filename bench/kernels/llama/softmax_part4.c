// softmax_part4: out'(i) = tdiv(unnormalized_output(i), sum).
// Plain C form of a kernel on std::vector.
void softmax_part4(int *unnormalized_output, int max_pos, int sum, int *out) {
    for (int i = 0; i < max_pos; i++) {
        out[i] = unnormalized_output[i] / sum;
    }
}
