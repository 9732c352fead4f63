// expect: refused
// F31: a return from within the loop.
int early_return(int n, const int *a) {
    for (int i = 0; i < n; i++)
        if (a[i] < 0)
            return 0;
    return 1;
}
