// expect: loop-free
// Tells palindromes, by two indices that move in one `for`.
int comma_two_indices(int n, const unsigned char *a) {
    int i, j;
    for (i = 0, j = n - 1; i < j; i++, j--)
        if (a[i] != a[j])
            return 0;
    return 1;
}
