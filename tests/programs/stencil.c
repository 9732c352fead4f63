// expect: loop-free
// Three-point mean into another array.
void stencil(int n, double a[n], double b[n]) {
    for (int i = 1; i < n - 1; i++)
        b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
}
