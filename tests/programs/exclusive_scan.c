// expect: scan
// Each total leaves its own element out.
void exclusive_scan(int n, double a[n], double o[n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        o[i] = s;
        s += a[i];
    }
}
