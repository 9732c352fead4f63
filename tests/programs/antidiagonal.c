// expect: loop-free
// Read along the other diagonal.
void antidiagonal(int n, double a[n][n], double o[n]) {
    for (int i = 0; i < n; i++)
        o[i] = a[i][n - 1 - i];
}
