// expect: loop-free
// Unfold an image into columns, the place in the window taken from the column's number by division.
void im2col_by_division(const float *im, int channels, int height, int width, int ksize, float *col) {
    int height_col = height - ksize + 1;
    int width_col = width - ksize + 1;
    int channels_col = channels * ksize * ksize;
    for (int c = 0; c < channels_col; ++c) {
        int w_offset = c % ksize;
        int h_offset = (c / ksize) % ksize;
        int c_im = c / ksize / ksize;
        for (int h = 0; h < height_col; ++h)
            for (int w = 0; w < width_col; ++w)
                col[(c * height_col + h) * width_col + w] = im[(c_im * height + h + h_offset) * width + w + w_offset];
    }
}
