// expect: loop-free
// Counting under a condition.
int count_positive(int n, const double *a) {
    int count = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0.0)
            count++;
    return count;
}
