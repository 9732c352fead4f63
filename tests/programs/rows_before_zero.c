// expect: loop-free
// Row sums, each over the cells before the first zero of the row.
void rows_before_zero(int n, int m, const int *a, long *sums) {
    for (int i = 0; i < n; i++) {
        long s = 0;
        for (int j = 0; j < m; j++) {
            if (a[i * m + j] == 0)
                break;
            s += a[i * m + j];
        }
        sums[i] = s;
    }
}
