// expect: loop-free
// Unsigned bytes that wrap, and a shift.
void narrow_wrap(int n, const unsigned char *a, const unsigned char *b, unsigned char *sum, unsigned char *mean) {
    for (int i = 0; i < n; i++) {
        sum[i] = a[i] + b[i];
        mean[i] = (a[i] + b[i]) >> 1;
    }
}
