// expect: loop-free
// A loop with step two clears the even cells.
void strided_store(int n, double *a) {
    for (int i = 0; i < n; i += 2)
        a[i] = 0.0;
}
