#include <string.h>

/* Tables in which a cell needs its neighbours above and to the left. */

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void edit_distance(int m, int n, const char *s, const char *t, int d[m + 1][n + 1]) {
    for (int i = 0; i <= m; i++)
        d[i][0] = i;
    for (int j = 0; j <= n; j++)
        d[0][j] = j;
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            int cost = s[i - 1] == t[j - 1] ? 0 : 1;
            d[i][j] = MIN(MIN(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + cost);
        }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void smith_waterman(int m, int n, const int *a, const int *b, int h[m + 1][n + 1]) {
    for (int i = 0; i <= m; i++)
        h[i][0] = 0;
    for (int j = 0; j <= n; j++)
        h[0][j] = 0;
    for (int i = 1; i <= m; i++) {
        for (int j = 1; j <= n; j++) {
            int score = h[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -3);
            if (score < h[i - 1][j] - 2)
                score = h[i - 1][j] - 2;
            if (score < h[i][j - 1] - 2)
                score = h[i][j - 1] - 2;
            if (score < 0)
                score = 0;
            h[i][j] = score;
        }
    }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void common_subsequence(int m, int n, const char *x, const char *y, int L[m + 1][n + 1]) {
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0)
                L[i][j] = 0;
            else if (x[i - 1] == y[j - 1])
                L[i][j] = L[i - 1][j - 1] + 1;
            else
                L[i][j] = MAX(L[i - 1][j], L[i][j - 1]);
        }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void average(int m, int n, double a[m][n]) {
    for (int i = 1; i < m; i++)
        for (int j = 1; j < n; j++)
            a[i][j] = 0.5 * (a[i - 1][j] + a[i][j - 1]);
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void cheapest_path(int m, int n, const double cost[m][n], double best[m][n]) {
    best[0][0] = cost[0][0];
    for (int j = 1; j < n; j++)
        best[0][j] = best[0][j - 1] + cost[0][j];
    for (int i = 1; i < m; i++)
        best[i][0] = best[i - 1][0] + cost[i][0];
    for (int i = 1; i < m; i++)
        for (int j = 1; j < n; j++)
            best[i][j] = cost[i][j] + MIN(best[i - 1][j], best[i][j - 1]);
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void time_warp(int m, int n, const double *x, const double *y, double D[m][n]) {
    for (int i = 1; i < m; i++)
        for (int j = 1; j < n; j++) {
            double d = (x[i] - y[j]) * (x[i] - y[j]);
            D[i][j] = d + MIN(D[i - 1][j - 1], MIN(D[i - 1][j], D[i][j - 1]));
        }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void gauss_seidel(int m, int n, double u[m][n]) {
    for (int i = 1; i < m - 1; i++)
        for (int j = 1; j < n - 1; j++)
            u[i][j] = 0.25 * (u[i - 1][j] + u[i][j - 1] + u[i + 1][j] + u[i][j + 1]);
}
