// expect: loop-free
// Convolution of one channel without padding.
void conv2d_valid(int h, int w, int k, const float *in, const float *weight, float *out) {
    for (int y = 0; y < h - k + 1; y++)
        for (int x = 0; x < w - k + 1; x++) {
            float acc = 0.0f;
            for (int i = 0; i < k; i++)
                for (int j = 0; j < k; j++)
                    acc += in[(y + i) * w + x + j] * weight[i * k + j];
            out[y * (w - k + 1) + x] = acc;
        }
}
