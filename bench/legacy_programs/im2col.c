// expect: loop-free
// Unfold an image into columns, stride one and no padding.
void im2col(const float *image, float *columns, int channels, int height, int width, int kernel) {
    int oh = height - kernel + 1, ow = width - kernel + 1;
    for (int c = 0; c < channels; c++)
        for (int ky = 0; ky < kernel; ky++)
            for (int kx = 0; kx < kernel; kx++)
                for (int y = 0; y < oh; y++)
                    for (int x = 0; x < ow; x++)
                        columns[(((c * kernel + ky) * kernel + kx) * oh + y) * ow + x] =
                            image[(c * height + y + ky) * width + x + kx];
}
