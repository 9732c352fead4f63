// color_burn_8: out'(i,j) = 32 where active(i,j) = 0, else 32 - tdiv(32 - base(i,j), active(i,j)).
// Plain C form of a kernel on std::vector.
void color_burn_8(int *base, int *active, int *out, int m, int n) {
    for (int row = 0; row < m; row++) {
        for (int col = 0; col < n; col++) {
            int pixel;
            if (active[row * n + col] == 0) {
                pixel = 32;
            } else {
                pixel = 32 - (32 - base[row * n + col]) / active[row * n + col];
            }
            out[row * n + col] = pixel;
        }
    }
}
