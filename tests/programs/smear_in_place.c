// expect: loop-free
// Every cell takes its left neighbour, already new: the first value fills all.
void smear_in_place(int n, double *a) {
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1];
}
