// expect: refused
// The body changes the bound of its loop.
void bounds_change_inside(int n, double *a) {
    for (int i = 0; i < n; i++) {
        a[i] = 0.0;
        if (a[i] < 1.0)
            n--;
    }
}
