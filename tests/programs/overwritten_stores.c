// expect: loop-free
// F12: stores that later loops overwrite.
void overwritten_stores(int n, const double *a, double *o) {
    for (int i = 0; i < n; i++)
        o[i] = 1.0;
    for (int i = 0; i < n; i++)
        o[i] = a[i];
    for (int i = 0; i < n - 1; i++)
        o[i] = 2.0 * a[i + 1];
}
