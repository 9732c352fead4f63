// expect: loop-free
// A scalar carries a product to the next iteration.
void suite_carry_around(int n, float *a, const float *b, const float *c) {
    float t = 0.0f, s;
    for (int i = 0; i < n; i++) {
        s = b[i] * c[i];
        a[i] = s + t;
        t = s;
    }
}
