// expect: loop-free
// Integers in a window whose rows and columns are both clamped to the image.
void box_clamped(int h, int w, const int in[h][w], int out[h][w]) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int s = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int yy = y + dy, xx = x + dx;
                    if (yy < 0) yy = 0;
                    if (yy > h - 1) yy = h - 1;
                    if (xx < 0) xx = 0;
                    if (xx > w - 1) xx = w - 1;
                    s += in[yy][xx];
                }
            out[y][x] = s;
        }
}
