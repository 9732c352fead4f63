// expect: refused
// The sum is read before anything was written to it.
double uninitialised_sum(int n, const double *a) {
    double s;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
