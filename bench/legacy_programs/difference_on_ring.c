// expect: loop-free
// Central difference on a ring, by remainders.
void difference_on_ring(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) y[i] = x[(i + 1) % n] - x[(i - 1 + n) % n];
}
