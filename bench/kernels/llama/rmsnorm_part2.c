// rmsnorm_part2: out'(i) = r * input(i) * weight(i), r = tdiv(1, root(tdiv(ss, n) + 1)) with the identity for root.
// Plain C form of a kernel on std::vector.
static int root(int x) {
    return x;
}

void rmsnorm_part2(int *input, int *weight, int ss, int *out, int n) {
    for (int i = 0; i < n; i++) {
        int scale = 1 / root(ss / n + 1);
        out[i] = scale * input[i] * weight[i];
    }
}
