// expect: loop-free
// The indices of the two elements before, carried in variables.
void suite_wraparound_twice(int n, float *a, const float *b) {
    int im1 = n - 1, im2 = n - 2;
    for (int i = 0; i < n; i++) {
        a[i] = (b[i] + b[im1] + b[im2]) * 0.333f;
        im2 = im1;
        im1 = i;
    }
}
