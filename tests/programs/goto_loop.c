// expect: loop-free
// A loop made of jumps.
void goto_loop(int n, double *a) {
    int i = 0;
again:
    if (i < n) {
        a[i] += 1.0;
        i++;
        goto again;
    }
}
