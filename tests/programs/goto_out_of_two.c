// expect: loop-free
// Place of the first cell that holds a key, left by one jump out of two loops.
int goto_out_of_two(int n, int m, const int *a, int key) {
    int i, j, where = -1;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            if (a[i * m + j] == key) {
                where = i * m + j;
                goto done;
            }
        }
    }
done:
    return where;
}
