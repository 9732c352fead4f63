// expect: loop-free
// F14: a loop over all cells of four dimensions, and one over the inner cells of a matrix.
void flat_over_products(float *y, const float *x, float *z, int b, int c, int h, int w) {
    int inner = (h - 1) * (w - 1);
    for (int i = 0; i < b * c * h * w; i++)
        y[i] += x[i];
    for (int i = 0; i < inner; i++)
        z[i] *= 2.0f;
}
