// expect: loop-free
// Differences in which the first and the last cell read no neighbour.
void ternary_reads_neighbour(int n, const double *a, double *b) {
    for (int i = 0; i < n; i++) {
        double left = i > 0 ? a[i - 1] : a[i];
        double right = i + 1 < n ? a[i + 1] : a[i];
        b[i] = right - left;
    }
}
