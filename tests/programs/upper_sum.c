// expect: loop-free
// Triangular reduction to a scalar.
double upper_sum(int n, double a[n][n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            s += a[i][j];
    return s;
}
