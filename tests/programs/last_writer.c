// expect: loop-free
// Every iteration writes the same cell.
void last_writer(int n, const double *a, double *o) {
    for (int i = 0; i < n; i++)
        o[0] = a[i];
}
