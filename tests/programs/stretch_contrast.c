// expect: loop-free
// The early return guards a divisor, which is computed in a wider type than what it compares.
void stretch_contrast(int n, unsigned char *x) {
    unsigned char low = x[0], high = x[0];
    for (int i = 1; i < n; i++) {
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
    }
    if (low == high) return;
    for (int i = 0; i < n; i++) x[i] = (x[i] - low) * 255 / (high - low);
}
