// color_dodge_8: out'(i,j) = 32 where active(i,j) = 32, else tdiv(base(i,j), 32 - active(i,j)).
// Plain C form of a kernel on std::vector.
void color_dodge_8(int *base, int *active, int *out, int m, int n) {
    for (int row = 0; row < m; row++) {
        for (int col = 0; col < n; col++) {
            int pixel;
            if (active[row * n + col] == 32) {
                pixel = 32;
            } else {
                pixel = base[row * n + col] / (32 - active[row * n + col]);
            }
            out[row * n + col] = pixel;
        }
    }
}
