/* banded.c - matrices with few diagonals. */
#include <math.h>

#include "solver.h"

enum solver_error tridiagonal_solve(int n, const real *a, const real *b, const real *c, real *d, real *work)
{
    if (b[0] == 0)
        return SOLVER_SINGULAR;
    work[0] = c[0] / b[0];
    d[0] /= b[0];
    for (int i = 1; i < n; i++) {
        real m = b[i] - a[i] * work[i - 1];
        if (m == 0)
            return SOLVER_SINGULAR;
        work[i] = c[i] / m;
        d[i] = (d[i] - a[i] * d[i - 1]) / m;
    }
    for (int i = n - 2; i >= 0; i--)
        d[i] -= work[i] * d[i + 1];
    return SOLVER_OK;
}

void tridiagonal_multiply(int n, const real *a, const real *b, const real *c, const real *x, real *y)
{
    y[0] = b[0] * x[0] + c[0] * x[1];
    for (int i = 1; i < n - 1; i++)
        y[i] = a[i] * x[i - 1] + b[i] * x[i] + c[i] * x[i + 1];
    y[n - 1] = a[n - 1] * x[n - 2] + b[n - 1] * x[n - 1];
}

/* Heat on a line with ends held. */
enum solver_error crank_nicolson(int n, real lambda, real *u, int steps)
{
    real *a = solver_alloc(n), *b = solver_alloc(n), *c = solver_alloc(n);
    real *d = solver_alloc(n), *work = solver_alloc(n);
    enum solver_error status = SOLVER_OK;

    for (int i = 0; i < n; i++) {
        int inner = i > 0 && i < n - 1;
        a[i] = inner ? -0.5 * lambda : 0;
        b[i] = inner ? 1 + lambda : 1;
        c[i] = inner ? -0.5 * lambda : 0;
    }
    for (int s = 0; s < steps && status == SOLVER_OK; s++) {
        d[0] = u[0];
        d[n - 1] = u[n - 1];
        for (int i = 1; i < n - 1; i++)
            d[i] = u[i] + 0.5 * lambda * (u[i - 1] - 2 * u[i] + u[i + 1]);
        status = tridiagonal_solve(n, a, b, c, d, work);
        copy(n, d, u);
    }
    free(a);
    free(b);
    free(c);
    free(d);
    free(work);
    return status;
}

/* Second derivatives of a natural cubic spline. */
void spline_second(int n, real h, const real *y, real *m, real *work)
{
    m[0] = 0;
    work[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        real p = 4 + work[i - 1];
        real rhs = 6 * (y[i - 1] - 2 * y[i] + y[i + 1]) / (h * h);
        work[i] = -1 / p;
        m[i] = (rhs - m[i - 1]) / p;
    }
    m[n - 1] = 0;
    for (int i = n - 2; i > 0; i--)
        m[i] += work[i] * m[i + 1];
}

/* Rows of 2 k + 1 cells, of which those outside of the matrix are not used. */
void band_multiply(int n, int k, const real *band, const real *x, real *y)
{
    for (int i = 0; i < n; i++) {
        int low = i - k < 0 ? 0 : i - k;
        int high = i + k >= n ? n - 1 : i + k;
        real s = 0;
        for (int j = low; j <= high; j++)
            s += band[i * (2 * k + 1) + (j - i + k)] * x[j];
        y[i] = s;
    }
}

/* An implicit step along each row of a grid. */
void thomas_lines(int lines, int n, real lambda, real *u, real *work)
{
    for (int l = 0; l < lines; l++) {
        real *row = u + l * n;
        work[0] = 0;
        for (int i = 1; i < n - 1; i++) {
            real m = 1 + 2 * lambda - lambda * work[i - 1];
            work[i] = lambda / m;
            row[i] = (row[i] + lambda * row[i - 1]) / m;
        }
        for (int i = n - 2; i > 0; i--)
            row[i] += work[i] * row[i + 1];
    }
}
