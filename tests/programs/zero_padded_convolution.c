// expect: loop-free
// A border of zeros by guards; the flat weights have nine cells, whatever the size of the image.
void zero_padded_convolution(const double *in, const double *weight, double *out, int h, int w) {
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            double acc = 0;
            for (int ki = 0; ki < 3; ki++)
                for (int kj = 0; kj < 3; kj++) {
                    int y = i + ki - 1, x = j + kj - 1;
                    if (y >= 0 && y < h && x >= 0 && x < w) acc += in[y * w + x] * weight[ki * 3 + kj];
                }
            out[i * w + j] = acc;
        }
}
