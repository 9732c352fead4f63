// expect: refused
// Tells whether a square matrix is symmetric, and with a non-zero diagonal.
int nested_early_return(int n, const float *a) {
    for (int i = 0; i < n; i++) {
        if (a[i * n + i] == 0.0f)
            return 0;
        for (int j = 0; j < i; j++)
            if (a[i * n + j] != a[j * n + i])
                return 0;
    }
    return 1;
}
