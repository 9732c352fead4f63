// Reads at places that depend on data.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void gather(int n, const int *idx, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[idx[i]];
}
// expect: numpy loop-free, jax loop-free, torch refused TL307, stablehlo loop-free, linalg loop-free, c loop-free
void scaled_gather(size_t n, float alpha, const uint32_t *where, const float *table, const float *bias, float *out)
{
    for (size_t i = 0; i < n; ++i)
        out[i] = alpha * table[where[i]] + bias[i];
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void lookup_bytes(long n, const unsigned char *src, const unsigned char lut[256], unsigned char *dst)
{
    long i = 0;
    while (i < n) {
        dst[i] = lut[src[i]];
        i++;
    }
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void embedding(int tokens, int vocabulary, int width, const int *token, const float E[vocabulary][width],
               float out[tokens][width])
{
    for (int t = 0; t < tokens; t++)
        for (int d = 0; d < width; d++)
            out[t][d] = E[token[t]][d];
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void chained(int n, int m, const int *first, const int *second, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[second[first[i]]];
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void pick_pairs(int n, int m, int p, int q, const double A[p][q], const int *row, const int *col, double B[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            B[i][j] = A[row[i]][col[j]];
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void ellpack(int rows, int width, const double *value, const int *column, const double *x, double *y)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0.0;
        for (int k = 0; k < width; k++)
            sum += value[r * width + k] * x[column[r * width + k]];
        y[r] = sum;
    }
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void where_valid(int n, const int *idx, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        if (idx[i] >= 0)
            y[i] = x[idx[i]];
        else
            y[i] = 0.0;
    }
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void masked(int n, const int *mask, const int *idx, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        if (mask[i])
            y[i] += x[idx[i]];
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double total(int n, const long *idx, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[idx[i]];
    return s;
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
double picked_dot(int n, const int *p, const double *a, const double *b)
{
    double s = 0;
    for (const int *end = p + n; p != end; ++p)
        s += a[*p] * b[*p];
    return s;
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void diagonal_picks(int n, int m, const int32_t *label, const double score[n][m], double *loss)
{
    for (int i = 0; i < n; i++)
        loss[i] = -score[i][label[i]];
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void dither(int n, float *x)
{
    static const float threshold[4] = {0.125f, 0.625f, 0.375f, 0.875f};
    for (int i = 0; i < n; i++)
        x[i] += threshold[i & 3];
}
// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void cross_entropy(float *losses, const float *probs, const int *targets, int B, int T, int V)
{
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            const float *probs_bt = probs + b * T * V + t * V;
            int ix = targets[b * T + t];
            losses[b * T + t] = -logf(probs_bt[ix]);
        }
    }
}
