// expect: loop-free
// Convolution of one channel with a border of zeros.
void conv2d_same(int h, int w, const float *in, const float *ker, float *out) {
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {
        float s = 0;
        for (int ky = 0; ky < 3; ky++) for (int kx = 0; kx < 3; kx++) {
            int iy = y + ky - 1, ix = x + kx - 1;
            if (iy < 0 || iy >= h || ix < 0 || ix >= w) continue;
            s += in[iy * w + ix] * ker[ky * 3 + kx];
        }
        out[y * w + x] = s;
    }
}
