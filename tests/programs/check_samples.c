// expect: refused
// Place of the first sample out of range, by sign for below and above.
int check_samples(int n, const short *v, short lo, short hi) {
    for (int i = 0; i < n; i++) {
        if (v[i] < lo)
            return -(i + 1);
        if (v[i] > hi)
            return i + 1;
    }
    return 0;
}
