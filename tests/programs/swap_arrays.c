// expect: loop-free
// Exchange of two arrays.
void swap_arrays(int n, double *a, double *b) {
    for (int i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}
