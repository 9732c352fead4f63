/* dense.c - dense matrices in rows: factors, products, eigenvalues. */
#include <math.h>

#include "solver.h"

/* With partial pivoting, in place; the unit diagonal of the lower factor is not stored. */
enum solver_error lu_factor(int n, real *a, int *pivots)
{
    int i, j, k;

    for (k = 0; k < n; k++) {
        int p = k;
        real largest = fabs(a[k * n + k]);
        for (i = k + 1; i < n; i++) {
            real t = fabs(a[i * n + k]);
            if (t > largest) {
                largest = t;
                p = i;
            }
        }
        pivots[k] = p;
        if (largest < 1e-300)
            return SOLVER_SINGULAR;
        if (p != k) {
            for (j = 0; j < n; j++) {
                real t = a[k * n + j];
                a[k * n + j] = a[p * n + j];
                a[p * n + j] = t;
            }
        }
        for (i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
    return SOLVER_OK;
}

void lu_solve(int n, const real *lu, const int *pivots, real *b)
{
    int i, j;

    for (i = 0; i < n; i++) {
        int p = pivots[i];
        real t = b[i];
        b[i] = b[p];
        b[p] = t;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            b[i] -= lu[i * n + j] * b[j];
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++)
            b[i] -= lu[i * n + j] * b[j];
        b[i] /= lu[i * n + i];
    }
}

real determinant(int n, const real *lu, const int *pivots)
{
    real d = 1;

    for (int i = 0; i < n; i++) {
        d *= lu[i * n + i];
        if (pivots[i] != i)
            d = -d;
    }
    return d;
}

enum solver_error cholesky_factor(int n, real *a)
{
    for (int j = 0; j < n; j++) {
        real d = a[j * n + j];
        for (int k = 0; k < j; k++)
            d -= a[j * n + k] * a[j * n + k];
        if (d <= 0)
            return SOLVER_SINGULAR;
        d = sqrt(d);
        a[j * n + j] = d;
        for (int i = j + 1; i < n; i++) {
            real s = a[i * n + j];
            for (int k = 0; k < j; k++)
                s -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = s / d;
        }
    }
    return SOLVER_OK;
}

void cholesky_solve(int n, const real *l, real *b)
{
    for (int i = 0; i < n; i++) {
        real s = b[i];
        for (int k = 0; k < i; k++)
            s -= l[i * n + k] * b[k];
        b[i] = s / l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        real s = b[i];
        for (int k = i + 1; k < n; k++)
            s -= l[k * n + i] * b[k];
        b[i] = s / l[i * n + i];
    }
}

void dense_multiply(int n, int m, int k, const real *a, const real *b, real *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            c[i * m + j] = 0;
            for (int l = 0; l < k; l++)
                c[i * m + j] += a[i * k + l] * b[l * m + j];
        }
}

void dense_vector(int n, int m, const real *a, const real *x, real *y)
{
    for (int i = 0; i < n; i++) {
        real s = 0;
        for (int j = 0; j < m; j++)
            s += a[i * m + j] * x[j];
        y[i] = s;
    }
}

void dense_transpose(int n, int m, const real *a, real *t)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            t[j * n + i] = a[i * m + j];
}

void dense_rank_one(int n, int m, real alpha, const real *x, const real *y, real *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] += alpha * x[i] * y[j];
}

/* G = transposed A times A, for A of n rows and m columns. */
void dense_gram(int n, int m, const real *a, real *g)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            real s = 0;
            for (int k = 0; k < n; k++)
                s += a[k * m + i] * a[k * m + j];
            g[i * m + j] = s;
        }
}

/* Columns of q, of n rows and m columns, become orthonormal; q times r is what it was. */
void gram_schmidt(int n, int m, real *q, real *r)
{
    for (int k = 0; k < m; k++) {
        real norm = 0;
        for (int i = 0; i < n; i++)
            norm += q[i * m + k] * q[i * m + k];
        r[k * m + k] = sqrt(norm);
        for (int i = 0; i < n; i++)
            q[i * m + k] /= r[k * m + k];
        for (int j = k + 1; j < m; j++) {
            real s = 0;
            for (int i = 0; i < n; i++)
                s += q[i * m + k] * q[i * m + j];
            r[k * m + j] = s;
            for (int i = 0; i < n; i++)
                q[i * m + j] -= q[i * m + k] * s;
        }
    }
}

real power_iteration(int n, const real *a, real *x, real *w, int steps)
{
    real lambda = 0;

    for (int s = 0; s < steps; s++) {
        real norm;
        dense_vector(n, n, a, x, w);
        norm = norm_2(w, n);
        if (norm == 0)
            return 0;
        lambda = dot(x, w, n) / dot(x, x, n);
        for (int i = 0; i < n; i++)
            x[i] = w[i] / norm;
    }
    return lambda;
}
