// expect: loop-free
// F34: a body unrolled by hand.
void unrolled_by_three(int n, double c, double p[3 * n], double q[3 * n]) {
    for (int i = 0; i < 3 * n; i += 3) {
        p[i] = c * p[i] - q[i];
        p[i + 1] = c * p[i + 1] - q[i + 1];
        p[i + 2] = c * p[i + 2] - q[i + 2];
    }
}
