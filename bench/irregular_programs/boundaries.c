/* Boundary handling: wrapped, clamped, reflected and zero borders of stencils and windows. */

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void life(int h, int w, int next[h][w], const int cell[h][w]) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int alive = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dy != 0 || dx != 0)
                        alive += cell[(y + dy + h) % h][(x + dx + w) % w];
            next[y][x] = alive == 3 || (cell[y][x] && alive == 2);
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void life_written_out(int n, int m, unsigned char b[n][m], const unsigned char a[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int up = (i + n - 1) % n, down = (i + 1) % n, left = (j + m - 1) % m, right = (j + 1) % m;
            int s = a[up][left] + a[up][j] + a[up][right] + a[i][left] + a[i][right] + a[down][left] + a[down][j] + a[down][right];
            b[i][j] = s == 3 || (s == 2 && a[i][j]);
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void heat_ring(int n, double *v, const double *u, double k) {
    for (int i = 0; i < n; i++)
        v[i] = u[i] + k * (u[(i - 1 + n) % n] - 2.0 * u[i] + u[(i + 1) % n]);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void heat_torus(int n, int m, double v[n][m], const double u[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            v[i][j] = 0.25 * (u[(i + 1) % n][j] + u[(i + n - 1) % n][j] + u[i][(j + 1) % m] + u[i][(j + m - 1) % m]);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void rotate(int n, int k, double *y, const double *x) {
    for (int i = 0; i < n; i++)
        y[i] = x[(i + k) % n];
}

static int clamp(int i, int low, int high) { return i < low ? low : i > high ? high : i; }

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void smooth_clamped(int n, double *y, const double *x) {
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int k = -2; k <= 2; k++)
            s += x[clamp(i + k, 0, n - 1)];
        y[i] = s / 5.0;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void sobel_clamped(int h, int w, float gx[h][w], const float im[h][w]) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int up = y > 0 ? y - 1 : 0, down = y < h - 1 ? y + 1 : h - 1;
            int left = x > 0 ? x - 1 : 0, right = x < w - 1 ? x + 1 : w - 1;
            gx[y][x] = im[up][right] - im[up][left] + 2.0f * (im[y][right] - im[y][left]) + im[down][right] - im[down][left];
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void blur_clamped(int h, int w, int r, double out[h][w], const double in[h][w]) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double s = 0.0;
            for (int k = -r; k <= r; k++) {
                int q = x + k;
                if (q < 0)
                    q = 0;
                if (q >= w)
                    q = w - 1;
                s += in[y][q];
            }
            out[y][x] = s / (2 * r + 1);
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void same_convolution(int n, int m, double *y, const double *x, const double *w) {
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int k = 0; k < m; k++) {
            int j = i + k - m / 2;
            if (j >= 0 && j < n)
                y[i] += w[k] * x[j];
        }
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void same_filter(int h, int w, float out[h][w], const float in[h][w], const float f[5][5]) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float s = 0.0f;
            for (int a = 0; a < 5; a++)
                for (int b = 0; b < 5; b++) {
                    int p = y + a - 2, q = x + b - 2;
                    if (p < 0 || p >= h || q < 0 || q >= w)
                        continue;
                    s += f[a][b] * in[p][q];
                }
            out[y][x] = s;
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void reflected(int n, double *y, const double *x) {
    for (int i = 0; i < n; i++) {
        int left = i - 1, right = i + 1;
        if (left < 0)
            left = -left;
        if (right >= n)
            right = 2 * n - 2 - right;
        y[i] = 0.25 * x[left] + 0.5 * x[i] + 0.25 * x[right];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void wrapped_window(int n, int m, double *y, const double *x, const double *w) {
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int k = 0; k < m; k++)
            s += w[k] * x[(i + k) % n];
        y[i] = s;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c hybrid
void neighbours(int h, int w, int count[h][w], const int a[h][w]) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int c = 0;
            if (y > 0)
                c += a[y - 1][x];
            if (y < h - 1)
                c += a[y + 1][x];
            if (x > 0)
                c += a[y][x - 1];
            if (x < w - 1)
                c += a[y][x + 1];
            count[y][x] = c;
        }
}
