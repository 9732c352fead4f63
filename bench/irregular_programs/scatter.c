// Scatter: data chooses the cell that is written; the last writer wins.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void scatter(int n, int m, const int idx[n], const double x[n], double y[m]) {
    for (int i = 0; i < n; i++)
        y[idx[i]] = x[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void inverse_permutation(int n, const int p[n], int q[n]) {
    for (int i = 0; i < n; i++)
        q[p[i]] = i;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void one_hot(int n, int k, const int label[n], float out[n][k]) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < k; c++)
            out[i][c] = 0.0f;
    for (int i = 0; i < n; i++)
        out[i][label[i]] = 1.0f;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void mark(int n, int m, const int *seen, unsigned char *flag) {
    for (int j = 0; j < m; j++)
        flag[j] = 0;
    for (int i = 0; i < n; ++i)
        flag[seen[i]] = 1;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void scatter_rows(int n, int d, int m, const int idx[n], const float x[n][d], float y[m][d]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            y[idx[i]][j] = x[i][j];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void scatter_where(int n, int m, const int idx[n], const int keep[n], const double x[n], double y[m]) {
    for (int i = 0; i < n; i++)
        if (keep[i])
            y[idx[i]] = 2.0 * x[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void last_seen(int n, int m, const int key[n], int last[m]) {
    for (int j = 0; j < m; j++)
        last[j] = -1;
    for (int i = 0; i < n; i++)
        last[key[i]] = i;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void first_seen(int n, int m, const int key[n], int first[m]) {
    for (int j = 0; j < m; j++)
        first[j] = -1;
    for (int i = n - 1; i >= 0; i--)
        first[key[i]] = i;
}

// expect: numpy loop-free, jax loop-free, torch unchanged, stablehlo loop-free, linalg hybrid, c loop-free
void scatter_2d(int n, int h, int w, const int r[n], const int c[n], const float v[n], float image[h][w]) {
    for (int i = 0; i < n; i++)
        image[r[i]][c[i]] = v[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void bit_reversal(int n, const int rev[n], const double a[n], double b[n]) {
    for (int i = 0; i < n; i++)
        b[rev[i]] = a[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void permute_through(int n, const int p[n], const int q[n], const double x[n], double y[n]) {
    for (int i = 0; i < n; i++)
        y[p[i]] = x[q[i]];
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void first_writer(int n, int m, const int key[n], int owner[m]) {
    for (int i = 0; i < n; i++)
        if (owner[key[i]] == 0)
            owner[key[i]] = i + 1;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void averages(int n, const int slot[n], const int total[n], const int count[], int mean[]) {
    for (int i = 0; i < n; i++)
        mean[slot[i]] = total[i] / count[slot[i]];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void roll(int n, int k, double *y, const double *x) {
    for (int i = 0; i < n; i++)
        y[(i + k) % n] = x[i];
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c refused TL305
void swap_rows(int n, int m, const int *p, double a[n][m]) {
    for (int i = 0; i < n; i++)
        if (p[i] != i)
            for (int j = 0; j < m; j++) {
                double t = a[i][j];
                a[i][j] = a[p[i]][j];
                a[p[i]][j] = t;
            }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c refused TL406
void swap_two(int n, int i, int k, const int *p, double *x) {
    double t = x[i];
    x[i] = x[p[k]];
    x[p[k]] = t;
}
