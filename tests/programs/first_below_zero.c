// expect: loop-free
// Place of the first element below zero, by a loop variable that outlives the loop.
int first_below_zero(int n, const double *a) {
    int i;
    for (i = 0; i < n; i++)
        if (a[i] < 0.0)
            break;
    return i;
}
