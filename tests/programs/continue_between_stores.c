// expect: loop-free
// Stores before and after a `continue` in the middle of the body.
void continue_between_stores(int n, const int *a, int *b, int *c) {
    for (int i = 0; i < n; i++) {
        b[i] = a[i] + 1;
        if (a[i] < 0)
            continue;
        c[i] = b[i] * 2;
    }
}
