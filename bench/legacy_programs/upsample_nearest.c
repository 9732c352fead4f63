// expect: loop-free
// Enlarge images by a whole factor, nearest neighbour, channels first.
void upsample_nearest(const float *in, int c, int h, int w, int stride, float scale, float *out) {
    for (int k = 0; k < c; ++k)
        for (int j = 0; j < h * stride; ++j)
            for (int i = 0; i < w * stride; ++i) {
                int in_index = k * w * h + (j / stride) * w + i / stride;
                int out_index = k * w * h * stride * stride + j * w * stride + i;
                out[out_index] = scale * in[in_index];
            }
}
