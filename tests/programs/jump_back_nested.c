// expect: loop-free
// Row sums by two loops of jumps.
void jump_back_nested(int n, int m, const double *a, double *y) {
    int i = 0, j;
L1:
    if (i == n || n < 0)
        return;
    y[i] = 0.0;
    j = 0;
L2:
    if (j < m) {
        y[i] += a[i * m + j];
        j++;
        goto L2;
    }
    i++;
    goto L1;
}
