// multiply_blend_8: out'(i,j) = tdiv(base(i,j) * active(i,j), 32).
// Plain C form of a kernel on std::vector.
void multiply_blend_8(int *base, int *active, int *out, int m, int n) {
    for (int row = 0; row < m; row++) {
        for (int col = 0; col < n; col++) {
            out[row * n + col] = base[row * n + col] * active[row * n + col] / 32;
        }
    }
}
