// dissolve_blend_8: out'(i,j) = active(i,j) if opacity >= v, else base(i,j), v = tdiv(rem(rand_cons, 100) + 1, 100).
// Plain C form of a kernel on std::vector.
void dissolve_blend_8(int *base, int *active, int opacity, int rand_cons, int *out, int m, int n) {
    for (int row = 0; row < m; row++) {
        for (int col = 0; col < n; col++) {
            int threshold = (rand_cons % 100 + 1) / 100;
            int pixel;
            if (opacity - threshold >= 0) {
                pixel = active[row * n + col];
            } else {
                pixel = base[row * n + col];
            }
            out[row * n + col] = pixel;
        }
    }
}
