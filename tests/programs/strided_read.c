// expect: loop-free
// Every other element.
void strided_read(int n, double a[2 * n], double o[n]) {
    for (int i = 0; i < n; i++)
        o[i] = a[2 * i];
}
