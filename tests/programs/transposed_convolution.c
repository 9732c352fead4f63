// expect: hybrid
// Scaled copies of a kernel are added at every other place: a transposed convolution.
void transposed_convolution(int n, int m, const double a[n], const double w[m], double c[2 * n + m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            c[2 * i + j] += a[i] * w[j];
}
