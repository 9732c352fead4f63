// expect: loop-free
// The greatest residual of a stencil, which ends most iterative solvers.
#include <math.h>

double residual_norm(int n, int m, const double u[n][m], const double f[n][m], double h) {
    double norm = 0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            double r = f[i][j] - (4 * u[i][j] - u[i - 1][j] - u[i + 1][j] - u[i][j - 1] - u[i][j + 1]) / (h * h);
            if (fabs(r) > norm)
                norm = fabs(r);
        }
    return norm;
}
