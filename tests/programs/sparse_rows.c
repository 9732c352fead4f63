// expect: refused
// Rows of a compressed matrix: the bounds of the inner loop are data.
void sparse_rows(int n, const int *start, const int *column, const double *value, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int k = start[i]; k < start[i + 1]; k++)
            y[i] += value[k] * x[column[k]];
    }
}
