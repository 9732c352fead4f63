// expect: loop-free
// For each row the place of its last smallest cell.
void last_smallest_of_rows(int n, int m, const long *a, int *at) {
    for (int i = 0; i < n; i++) {
        int k = 0;
        for (int j = 1; j < m; j++)
            if (a[i * m + j] <= a[i * m + k])
                k = j;
        at[i] = k;
    }
}
