/* Quotients and remainders in subscripts: repeated and cyclic cells, digits, bits, bins, rows and columns of flat arrays. */

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void repeat_each(int n, double *y, const double *c) {
    for (int i = 0; i < n; i++)
        y[i] = c[i / 3];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void upsample_row(int n, float *out, const float *in) {
    for (int i = 0; i < n; ++i)
        out[i] = 0.5f * (in[i / 2] + in[(i + 1) / 2]);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void digits(int n, double *y, const double a[][10]) {
    for (int i = 0; i < n; i++)
        y[i] = a[i / 10][i % 10];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void two_tables(int n, double *y, const double *row, const double col[7]) {
    for (int i = 0; i < n; i++)
        y[i] = row[i / 7] * col[i % 7];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void polyphase(int n, double *y, const double *x, const double h[4]) {
    for (int i = 0; i < n; i++)
        y[i] = h[i % 4] * x[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void block_scale(int n, int m, double *y, const double *x, const double *scale) {
    for (int i = 0; i < n; i++)
        y[i] = x[i] * scale[i / m];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void unpack_bits(int n, unsigned char *bit, const unsigned char *packed) {
    for (int i = 0; i < n; i++)
        bit[i] = (packed[i >> 3] >> (i & 7)) & 1;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void dequantise(int n, float *w, const signed char *q, const float *scale) {
    for (int i = 0; i < n; i++)
        w[i] = scale[i / 32] * q[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void block_sums(int n, double *s, const double *x) {
    for (int i = 0; i < n; i++)
        s[i / 4] += x[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void by_phase(int n, double s[3], const double *x) {
    for (int i = 0; i < n; i++)
        s[i % 3] += x[i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void rows_of_flat(int n, int w, double *y, const double *x, const double *row) {
    for (int i = 0; i < n * w; i++)
        y[i] = x[i] - row[i / w];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void heap_parents(int n, double *gap, const double *key) {
    for (int i = 1; i < n; i++)
        gap[i] = key[i] - key[(i - 1) / 2];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void mixed(int n, int m, double y[n][m], const double *c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i][j] = c[i / 2 + j % 3];
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void upsample(int h, int w, float out[2 * h][2 * w], const float in[h][w]) {
    for (int y = 0; y < 2 * h; y++)
        for (int x = 0; x < 2 * w; x++)
            out[y][x] = in[y / 2][x / 2];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void bayer(int h, int w, float out[h][w], const float in[h][w], const float gain[2][2]) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y][x] = in[y][x] * gain[y % 2][x % 2];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void rotate_pairs(float *q, float *k, int dim, int kv_dim, float c, float s) {
    for (int i = 0; i < dim; i += 2) {
        int count = i < kv_dim ? 2 : 1;
        for (int v = 0; v < count; v++) {
            float *x = v == 0 ? q : k;
            float v0 = x[i];
            float v1 = x[i + 1];
            x[i] = v0 * c - v1 * s;
            x[i + 1] = v0 * s + v1 * c;
        }
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void scaled_heads(float *out, const float *in, int channels, int heads) {
    int size = channels / heads;
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < size; i++)
            out[h * size + i] = 2 * in[h * size + i];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void attention_scores(float *scores, const float *qkv, int batch, int steps, int channels, int heads) {
    int row = channels * 3, size = channels / heads;
    for (int b = 0; b < batch; b++)
        for (int t = 0; t < steps; t++)
            for (int h = 0; h < heads; h++) {
                const float *query = qkv + b * steps * row + t * row + h * size;
                float *out = scores + b * heads * steps * steps + h * steps * steps + t * steps;
                for (int s = 0; s <= t; s++) {
                    const float *key = qkv + b * steps * row + s * row + h * size + channels;
                    float dot = 0.0f;
                    for (int i = 0; i < size; i++)
                        dot += query[i] * key[i];
                    out[s] = dot;
                }
            }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void max_pool(float *out, const float *in, int n, int width, int stride) {
    int count = (n - width) / stride + 1;
    for (int i = 0; i < count; i++) {
        float most = in[i * stride];
        for (int j = 1; j < width; j++)
            most = in[i * stride + j] > most ? in[i * stride + j] : most;
        out[i] = most;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void center_groups(float *out, const float *in, int rows, int channels, int groups) {
    int size = channels / groups;
    for (int r = 0; r < rows; r++)
        for (int g = 0; g < groups; g++) {
            float sum = 0.0f;
            for (int c = 0; c < size; c++)
                sum += in[r * channels + g * size + c];
            for (int c = 0; c < size; c++)
                out[r * channels + g * size + c] = in[r * channels + g * size + c] - sum / size;
        }
}
