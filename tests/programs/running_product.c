// expect: scan
// First-order recurrence without an addend: a cumulative product.
void running_product(int n, double a[n], double b[n]) {
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * b[i];
}
