// matinit: mat'(i,j) = val.
void matinit(int *mat, int val, int m, int n) {
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            mat[i * n + j] = val;
        }
    }
}
