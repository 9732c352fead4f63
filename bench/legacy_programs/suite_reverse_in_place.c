// expect: loop-free
// Reversal in place by two indices that meet.
void suite_reverse_in_place(int n, double *a) {
    for (int i = 0, j = n - 1; i < j; i++, j--) {
        double t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}
