// expect: loop-free
// Reversing in place by swaps up to the middle.
void reverse_swap(int n, double *a) {
    for (int i = 0; i < n / 2; i++) {
        double t = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = t;
    }
}
