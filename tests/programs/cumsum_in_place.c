// expect: scan
// Running totals in place, on integers.
void cumsum_in_place(int *a, int n) {
    for (int i = 1; i < n; i++)
        a[i] += a[i - 1];
}
