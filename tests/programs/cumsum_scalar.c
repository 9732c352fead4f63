// expect: scan
// Running totals kept in a scalar.
void cumsum_scalar(int n, double a[n], double o[n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        o[i] = s;
    }
}
