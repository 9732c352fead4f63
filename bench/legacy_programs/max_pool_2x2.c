// expect: loop-free
// Maximum of each 2 by 2 block.
void max_pool_2x2(int h, int w, const float *in, float *out) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float best = in[2 * y * (2 * w) + 2 * x];
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) {
                    float v = in[(2 * y + i) * (2 * w) + 2 * x + j];
                    if (v > best)
                        best = v;
                }
            out[y * w + x] = best;
        }
}
