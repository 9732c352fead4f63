// expect: loop-free
// Two guards on the same cell, one after the other.
void clip_in_place(int n, double *a, double lo, double hi) {
    for (int i = 0; i < n; i++) {
        if (a[i] < lo)
            a[i] = lo;
        if (a[i] > hi)
            a[i] = hi;
    }
}
