// Two-dimensional convolution of many channels, as in a neural network's layer: no padding, stride one.
void conv2d(int channels, int filters, int height, int width, int kh, int kw,
            const float image[channels][height + kh - 1][width + kw - 1],
            const float weight[filters][channels][kh][kw], const float bias[filters],
            float out[filters][height][width]) {
    for (int f = 0; f < filters; f++) {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                float sum = bias[f];
                for (int c = 0; c < channels; c++) {
                    for (int dy = 0; dy < kh; dy++) {
                        for (int dx = 0; dx < kw; dx++) {
                            sum += image[c][y + dy][x + dx] * weight[f][c][dy][dx];
                        }
                    }
                }
                out[f][y][x] = sum;
            }
        }
    }
}
