// expect: loop-free
// Conjunction of comparisons in an int flag.
int all_equal(int n, const int *a, const int *b) {
    int same = 1;
    for (int i = 0; i < n; i++)
        same = same && a[i] == b[i];
    return same;
}
