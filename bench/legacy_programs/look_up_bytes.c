// expect: loop-free
// A table looked up at bytes: the subscript is data.
void look_up_bytes(int n, const unsigned char *x, const float *lut, float *y) {
    for (int i = 0; i < n; i++) y[i] = lut[x[i]];
}
