// expect: scan
// The second sum uses the running value of the first.
double two_accumulators(int n, double a[n], double b[n]) {
    double s = 0.0, u = 0.0;
    for (int i = 0; i < n; i++) {
        s += a[i];
        u += s * b[i];
    }
    return u;
}
