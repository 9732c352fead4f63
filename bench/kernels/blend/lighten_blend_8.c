// lighten_blend_8: out'(i,j) = active(i,j) where base(i,j) < active(i,j), else base(i,j).
// Plain C form of a kernel on std::vector.
void lighten_blend_8(int *base, int *active, int *out, int m, int n) {
    for (int row = 0; row < m; row++) {
        for (int col = 0; col < n; col++) {
            int pixel;
            if (base[row * n + col] < active[row * n + col]) {
                pixel = active[row * n + col];
            } else {
                pixel = base[row * n + col];
            }
            out[row * n + col] = pixel;
        }
    }
}
