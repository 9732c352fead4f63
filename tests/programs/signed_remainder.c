// expect: loop-free
// C's remainder has the sign of the dividend.
void signed_remainder(int n, const int *a, int *o) {
    for (int i = 0; i < n; i++)
        o[i] = a[i] % 7 + a[i] / 7;
}
