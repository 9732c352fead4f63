// expect: loop-free
// The index of the element before, carried in a variable.
void suite_wraparound(int n, const double *b, double *a) {
    int im1 = n - 1;
    for (int i = 0; i < n; i++) {
        a[i] = (b[i] + b[im1]) * 0.5;
        im1 = i;
    }
}
