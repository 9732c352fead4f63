// expect: loop-free
// F14: a flat loop over a matrix takes row and column by division, and transposes.
void quotient_and_remainder(const float *x, float *y, int h, int w) {
    for (int i = 0; i < h * w; i++) {
        int r = i / w;
        int c = i % w;
        y[c * h + r] = x[r * w + c];
    }
}
