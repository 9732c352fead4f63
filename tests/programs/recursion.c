// expect: refused
// A function that calls itself.
double recursion(int n, const double *a) {
    return n == 0 ? 0.0 : a[0] + recursion(n - 1, a + 1);
}
