// expect: loop-free
// Two arrays take turns in a third.
void interleave_pairs(int n, const double re[n], const double im[n], double z[2 * n]) {
    for (int i = 0; i < n; i++) {
        z[2 * i] = re[i];
        z[2 * i + 1] = im[i];
    }
}
