// expect: scan
// Totals from the end, by a falling loop.
void suffix_sum(int n, double a[n], double o[n]) {
    double s = 0.0;
    for (int i = n - 1; i >= 0; i--) {
        s += a[i];
        o[i] = s;
    }
}
