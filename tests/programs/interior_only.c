// expect: loop-free
// Adds one to the interior of a grid; border cells are skipped at the top of the body.
void interior_only(int n, int m, float *a) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (i == 0 || j == 0 || i == n - 1 || j == m - 1)
                continue;
            a[i * m + j] += 1.0f;
        }
    }
}
