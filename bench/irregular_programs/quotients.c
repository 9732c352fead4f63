// Quotients and remainders in subscripts.

void upsample(int n, const double *c, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = c[i / 2];
}

void repeat_rows(int n, int m, const float *scale, const float *x, float *y)
{
    for (int i = 0; i < n * m; i++)
        y[i] = x[i] * scale[i / m];
}

void unflatten(int n, const double A[n][10], double *y)
{
    for (int i = 0; i < 10 * n; i++)
        y[i] = 2.0 * A[i / 10][i % 10];
}

void roll(int n, int k, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[(i + k) % n];
}

void tile(int n, int m, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i % m];
}

void next_in_ring(int n, const double *x, double *d)
{
    for (int i = 0; i < n; i++)
        d[i] = x[(i + 1) % n] - x[i];
}

void upsample_image(int h, int w, const float *in, float *out)
{
    for (int y = 0; y < 2 * h; ++y)
        for (int x = 0; x < 2 * w; ++x)
            out[y * 2 * w + x] = in[(y / 2) * w + x / 2];
}

void shifted(unsigned n, const int *x, int *y)
{
    for (unsigned i = 0; i < n; i++)
        y[i] = x[i >> 2] + (i & 3);
}

void grouped_query(int heads, int groups, int d, const float k[groups][d], float out[heads * groups][d])
{
    for (int h = 0; h < heads * groups; h++)
        for (int j = 0; j < d; j++)
            out[h][j] = k[h / heads][j];
}
