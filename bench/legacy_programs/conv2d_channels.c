// expect: loop-free
// Convolution with channels, filters and a bias, 3 by 3.
void conv2d_channels(int c, int f, int h, int w, float in[c][h + 2][w + 2], float weight[f][c][3][3],
                     const float *bias, float out[f][h][w]) {
    for (int o = 0; o < f; o++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                float acc = bias[o];
                for (int i = 0; i < c; i++)
                    for (int dy = 0; dy < 3; dy++)
                        for (int dx = 0; dx < 3; dx++)
                            acc += in[i][y + dy][x + dx] * weight[o][i][dy][dx];
                out[o][y][x] = acc;
            }
}
