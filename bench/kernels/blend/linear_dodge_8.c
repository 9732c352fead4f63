// linear_dodge_8: out'(i,j) = base(i,j) + active(i,j).
// Plain C form of a kernel on std::vector.
void linear_dodge_8(int *base, int *active, int *out, int m, int n) {
    for (int row = 0; row < m; row++) {
        for (int col = 0; col < n; col++) {
            out[row * n + col] = base[row * n + col] + active[row * n + col];
        }
    }
}
