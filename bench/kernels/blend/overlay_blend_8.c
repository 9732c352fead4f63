// overlay_blend_8: out'(i,j) = 3 b - h - 32 where b >= 16, else h, with b = base(i,j), h = tdiv(2 b b, 32).
// Plain C form of a kernel on std::vector.
void overlay_blend_8(int *base, int *active, int *out, int m, int n) {
    (void)active;
    for (int row = 0; row < m; row++) {
        for (int col = 0; col < n; col++) {
            int pixel;
            if (base[row * n + col] >= 16) {
                pixel = 2 * base[row * n + col] + base[row * n + col]
                        - 2 * base[row * n + col] * base[row * n + col] / 32 - 32;
            } else {
                pixel = 2 * base[row * n + col] * base[row * n + col] / 32;
            }
            out[row * n + col] = pixel;
        }
    }
}
