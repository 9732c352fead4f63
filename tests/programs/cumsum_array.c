// expect: scan
// Running totals read back from the output.
void cumsum_array(int n, double a[n], double o[n]) {
    o[0] = a[0];
    for (int i = 1; i < n; i++)
        o[i] = o[i - 1] + a[i];
}
