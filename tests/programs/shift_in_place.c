// expect: loop-free
// Every cell takes its right neighbour, still old.
void shift_in_place(int n, double *a) {
    for (int i = 0; i < n - 1; i++)
        a[i] = a[i + 1];
}
