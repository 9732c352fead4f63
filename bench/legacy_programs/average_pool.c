// expect: loop-free
// Global average of each channel.
void average_pool(int channels, int pixels, const float *in, float *out) {
    for (int c = 0; c < channels; c++) {
        out[c] = 0;
        for (int p = 0; p < pixels; p++)
            out[c] += in[c * pixels + p];
        out[c] /= pixels;
    }
}
