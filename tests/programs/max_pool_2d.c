// expect: loop-free
// The greatest of blocks of two by two pixels in every channel.
void max_pool_2d(int c, int h, int w, const float in[c][2 * h][2 * w], float out[c][h][w]) {
    for (int k = 0; k < c; k++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                float m = in[k][2 * y][2 * x];
                for (int dy = 0; dy < 2; dy++)
                    for (int dx = 0; dx < 2; dx++)
                        if (in[k][2 * y + dy][2 * x + dx] > m)
                            m = in[k][2 * y + dy][2 * x + dx];
                out[k][y][x] = m;
            }
}
