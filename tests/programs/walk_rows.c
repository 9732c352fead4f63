// expect: loop-free
// Matrix times vector by a pointer to the row.
void walk_rows(int n, int m, const double *a, const double *x, double *y) {
    const double *row = a;
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int j = 0; j < m; j++)
            s += row[j] * x[j];
        *y++ = s;
        row += m;
    }
}
