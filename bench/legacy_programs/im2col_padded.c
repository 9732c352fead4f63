// expect: loop-free
// Unfold an image with a border into columns.
void im2col_padded(const float *im, int channels, int height, int width, int ksize, int pad, float *col) {
    for (int c = 0; c < channels; c++) for (int kh = 0; kh < ksize; kh++) for (int kw = 0; kw < ksize; kw++) for (int h = 0; h < height; h++) for (int w = 0; w < width; w++) {
        int ih = h + kh - pad, iw = w + kw - pad;
        col[(((c * ksize + kh) * ksize + kw) * height + h) * width + w] = (ih < 0 || iw < 0 || ih >= height || iw >= width) ? 0 : im[(c * height + ih) * width + iw];
    }
}
