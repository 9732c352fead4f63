// expect: loop-free
// Doubles samples in place until one would pass the limit; that one is set to it.
void saturate_and_stop(int n, short *a, short limit) {
    for (int i = 0; i < n; i++) {
        if (2 * a[i] > limit) {
            a[i] = limit;
            break;
        }
        a[i] = (short)(2 * a[i]);
    }
}
