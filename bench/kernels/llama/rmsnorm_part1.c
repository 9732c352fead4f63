// rmsnorm_part1: s = sum_i input(i)^2.
// Plain C form of a kernel on std::vector.
int rmsnorm_part1(int *input, int *weight, int n) {
    int ss = 0;
    (void)weight;
    for (int i = 0; i < n; i++) {
        ss += input[i] * input[i];
    }
    return ss;
}
