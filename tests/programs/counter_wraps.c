// expect: loop-free
// Sum of every third sample, by a counter that starts over.
int counter_wraps(int n, const int *a) {
    int phase = 0, s = 0;
    for (int i = 0; i < n; i++) {
        if (phase == 0)
            s += a[i];
        if (++phase == 3)
            phase = 0;
    }
    return s;
}
