// expect: loop-free
// Reversed read.
void reverse(int n, const double *a, double *o) {
    for (int i = 0; i < n; i++)
        o[i] = a[n - 1 - i];
}
