// expect: refused
// F09: a subscript that is quadratic in the loop variables.
void packed_triangle(int n, double *v, double Q[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            v[i * (i + 1) / 2 + j] *= Q[i][j];
}
