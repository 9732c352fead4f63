// expect: loop-free
// Quotients; a jump skips the division by zero.
void goto_skip_division(int n, const int *a, const int *b, int *q) {
    for (int i = 0; i < n; i++) {
        int r = 0;
        if (b[i] == 0)
            goto store;
        r = a[i] / b[i];
    store:
        q[i] = r;
    }
}
