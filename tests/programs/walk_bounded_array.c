// expect: loop-free
// Column sums of a matrix of four columns, by a pointer to rows.
void walk_bounded_array(int n, const int (*row)[4], int sums[4]) {
    for (int j = 0; j < 4; j++)
        sums[j] = 0;
    for (; n > 0; n--, row++)
        for (int j = 0; j < 4; j++)
            sums[j] += (*row)[j];
}
