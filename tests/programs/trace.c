// expect: loop-free
// Sum along the diagonal.
double trace(int n, double a[n][n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += a[i][i];
    return s;
}
