// expect: loop-free
// Depthwise convolution, channels last.
void depthwise_conv(int h, int w, int c, float in[h + 2][w + 2][c], float k[3][3][c], float out[h][w][c]) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int ch = 0; ch < c; ch++) {
                float acc = 0.0f;
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        acc += in[y + i][x + j][ch] * k[i][j][ch];
                out[y][x][ch] = acc;
            }
}
