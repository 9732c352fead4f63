// expect: loop-free
// The extent of the pointer is told by its inner cells; one cell is there anyway.
void first_and_inner_cells(int n, const double *a, double x[n]) {
    x[0] = a[0];
    for (int i = 1; i < n - 1; i++)
        x[i + 1] = a[i] - 1.5;
}
