// Scatter with an operation: data chooses the cell that is updated.

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void histogram(int n, int bins, const int key[n], int count[bins]) {
    for (int i = 0; i < n; i++)
        count[key[i]]++;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void histogram_from_zero(int n, const unsigned char *bytes, int count[256]) {
    for (int b = 0; b < 256; b++)
        count[b] = 0;
    for (int i = 0; i < n; i++)
        count[bytes[i]] += 1;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void weighted_histogram(int n, int bins, const int bin[n], const double w[n], double h[bins]) {
    for (int i = 0; i < n; i++)
        h[bin[i]] += w[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void confusion_matrix(int n, int k, const int truth[n], const int guess[n], int m[k][k]) {
    for (int i = 0; i < n; ++i)
        m[truth[i]][guess[i]] += 1;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void coo_spmv(int nnz, int rows, int cols, const int row[nnz], const int col[nnz], const double val[nnz],
              const double x[cols], double y[rows]) {
    for (int r = 0; r < rows; r++)
        y[r] = 0.0;
    for (int k = 0; k < nnz; k++)
        y[row[k]] += val[k] * x[col[k]];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void largest_by_key(int n, int keys, const int key[n], const double v[n], double best[keys]) {
    for (int i = 0; i < n; i++)
        if (v[i] > best[key[i]])
            best[key[i]] = v[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void smallest_by_key(int n, int keys, const long *key, const int *v, int *low) {
    for (int k = 0; k < keys; k++)
        low[k] = 2147483647;
    for (int i = 0; i < n; i++)
        low[key[i]] = v[i] < low[key[i]] ? v[i] : low[key[i]];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void deposit(int n, int cells, const int cell[n], const double frac[n], double q, double rho[cells]) {
    for (int p = 0; p < n; p++) {
        rho[cell[p]] += q * (1.0 - frac[p]);
        rho[cell[p] + 1] += q * frac[p];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void add_rows(int n, int d, int k, const int label[n], const float x[n][d], float sum[k][d]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            sum[label[i]][j] += x[i][j];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void count_positive(int n, int groups, const int group[n], const float x[n], int count[groups]) {
    for (int i = 0; i < n; i++)
        if (x[i] > 0.0f)
            count[group[i]]++;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void kmeans_update(int n, int d, int k, const int label[n], const double x[n][d], double centre[k][d], int size[k]) {
    for (int c = 0; c < k; c++) {
        size[c] = 0;
        for (int j = 0; j < d; j++)
            centre[c][j] = 0.0;
    }
    for (int i = 0; i < n; i++) {
        size[label[i]]++;
        for (int j = 0; j < d; j++)
            centre[label[i]][j] += x[i][j];
    }
}

// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo loop-free, linalg hybrid, c loop-free
void mod_histogram(int n, const unsigned *x, int count[16]) {
    for (int i = 0; i < n; i++)
        count[x[i] % 16]++;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void edge_degree(int m, int n, const int from[m], const int to[m], int degree[n]) {
    for (int e = 0; e < m; e++) {
        degree[from[e]]++;
        degree[to[e]]++;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void histogram_in_range(int n, int m, const int *x, int h[m]) {
    for (int i = 0; i < n; i++)
        if (x[i] >= 0 && x[i] < m)
            h[x[i]]++;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void saturating_histogram(int n, const int *key, unsigned char *h) {
    for (int i = 0; i < n; i++)
        if (h[key[i]] < 255)
            h[key[i]]++;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void product_by_key(int n, int m, const int key[n], const double w[n], double p[m]) {
    for (int i = 0; i < n; i++)
        p[key[i]] *= w[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void frequencies(int n, int k, const int x[n], double f[k]) {
    for (int b = 0; b < k; b++)
        f[b] = 0.0;
    for (int i = 0; i < n; i++)
        f[x[i]] += 1.0;
    for (int b = 0; b < k; b++)
        f[b] /= n;
}

// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo loop-free, linalg hybrid, c loop-free
void count_packets(int n, const int *restrict port, const unsigned *restrict size, unsigned long *restrict packets,
                   unsigned long *restrict bytes)
{
    for (int i = 0; i < n; i++) {
        packets[port[i]] += 1;
        bytes[port[i]] += size[i];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void totals_of_blocks(int n, int m, double *total, const double *x) {
    for (int i = 0; i < n; i++)
        total[i / m] += x[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void moves(int n, int m, int h[m], const int from[n], const int to[n]) {
    for (int i = 0; i < n; i++) {
        h[to[i]]++;
        h[from[i]]--;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void pair_forces(int n, int m, double f[n][3], const int a[m], const int b[m], const double p[m][3]) {
    for (int e = 0; e < m; e++)
        for (int d = 0; d < 3; d++) {
            f[a[e]][d] += p[e][d];
            f[b[e]][d] -= p[e][d];
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void deposit_bilinear(int n, int m, double g[m][m], const int y[n], const int x[n], const double w[n]) {
    for (int p = 0; p < n; p++) {
        g[y[p]][x[p]] += 1.0 - w[p];
        g[y[p]][x[p] + 1] += w[p];
        g[y[p] + 1][x[p]] -= w[p];
        g[y[p] + 1][x[p] + 1] += 2.0 * w[p];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void settle(int n, double *balance, const int *payer, const int *payee, const double *amount) {
    for (int i = 0; i < n; i++)
        if (amount[i] > 0) {
            balance[payer[i]] -= amount[i];
            if (amount[i] < 100)
                balance[payee[i]] += amount[i] - 0.5;
        }
}

// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo loop-free, linalg hybrid, c loop-free
void take_tokens(int n, int m, unsigned short bucket[m], const int key[n]) {
    for (int i = 0; i < n; i++)
        bucket[key[i]] -= 3;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void release(int n, int m, unsigned char refs[m], const int a[n], const int b[n]) {
    for (int i = 0; i < n; i++) {
        refs[a[i]]++;
        refs[b[i]]--;
    }
}
