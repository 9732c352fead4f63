/* What ``bench/targets.py --programs`` measures of irregular loops. */
#include <math.h>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void gather(int n, int m, const int at[n], const float x[m], float y[n])
{
    for (int i = 0; i < n; i++)
        y[i] = x[at[i]];
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg hybrid, c loop-free
void histogram(int n, int bins, const int key[n], int count[bins])
{
    for (int b = 0; b < bins; b++)
        count[b] = 0;
    for (int i = 0; i < n; i++)
        count[key[i]]++;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void spmv(int rows, const int start[rows + 1], const int *column, const double *value, const double *x, double y[rows])
{
    for (int i = 0; i < rows; i++) {
        double s = 0.0;
        for (int p = start[i]; p < start[i + 1]; p++)
            s += value[p] * x[column[p]];
        y[i] = s;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
int compaction(int n, const double x[n], double limit, double kept[n])
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > limit)
            kept[k++] = x[i];
    return k;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void moving_average(int n, double alpha, const double x[n], double y[n])
{
    double s = x[0];
    for (int i = 0; i < n; i++) {
        s = alpha * x[i] + (1.0 - alpha) * s;
        y[i] = s;
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void forward_fill(int n, const double x[n], double y[n])
{
    double last = 0.0;
    for (int i = 0; i < n; i++) {
        if (x[i] >= 0.0)
            last = x[i];
        y[i] = last;
    }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void edit_distance(int n, int m, const int a[n], const int b[m], int d[n + 1][m + 1])
{
    for (int i = 0; i <= n; i++)
        d[i][0] = i;
    for (int j = 0; j <= m; j++)
        d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int least = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < least)
                least = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < least)
                least = d[i][j - 1] + 1;
            d[i][j] = least;
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void life(int n, int m, const unsigned char now[n][m], unsigned char next[n][m])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            int s = now[i - 1][j - 1] + now[i - 1][j] + now[i - 1][j + 1] + now[i][j - 1] + now[i][j + 1]
                  + now[i + 1][j - 1] + now[i + 1][j] + now[i + 1][j + 1];
            next[i][j] = s == 3 || (s == 2 && now[i][j]);
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void convolution(int n, int m, const float image[n + 6][m + 6], const float kernel[7][7], float out[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0.0f;
            for (int k = 0; k < 7; k++)
                for (int l = 0; l < 7; l++)
                    s += image[i + k][j + l] * kernel[k][l];
            out[i][j] = s;
        }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c hybrid
void attention(int n, int d, const float q[n][d], const float k[n][d], const float v[n][d], float p[n], float o[n][d])
{
    float scale = 1.0f / sqrtf((float)d);
    for (int i = 0; i < n; i++) {
        float best = 0.0f;
        for (int j = 0; j < n; j++) {
            p[j] = 0.0f;
            for (int l = 0; l < d; l++)
                p[j] += q[i][l] * k[j][l];
            p[j] *= scale;
            if (j == 0 || p[j] > best)
                best = p[j];
        }
        float sum = 0.0f;
        for (int j = 0; j < n; j++) {
            p[j] = expf(p[j] - best);
            sum += p[j];
        }
        for (int l = 0; l < d; l++) {
            o[i][l] = 0.0f;
            for (int j = 0; j < n; j++)
                o[i][l] += p[j] / sum * v[j][l];
        }
    }
}
