// expect: loop-free
// Scale each channel of a batch in one flat loop.
void scale_channels_flat(float *output, const float *scales, int batch, int n, int size) {
    int total = batch * n * size;
    for (int i = 0; i < total; ++i)
        output[i] *= scales[(i / size) % n];
}
