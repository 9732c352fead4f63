// expect: loop-free
// Marks the rows without a negative cell; a jump goes on with the next row.
void goto_next_row(int n, int m, const float *a, int *b) {
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        for (int j = 0; j < m; j++)
            if (a[i * m + j] < 0.0f)
                goto next_row;
        b[i] = 1;
    next_row:;
    }
}
