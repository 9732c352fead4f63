/* krylov.c - sparse matrices in rows, and the methods of Krylov. */
#include <math.h>
#include <string.h>

#include "solver.h"

/* The matrix of five-point differences on n times n inner points. */
int csr_poisson(csr_t *a, int n)
{
    int i, j, k = 0, rows = n * n;

    a->rows = a->cols = rows;
    a->row_ptr = malloc((size_t)(rows + 1) * sizeof(int));
    a->col = malloc((size_t)rows * 5 * sizeof(int));
    a->val = malloc((size_t)rows * 5 * sizeof(real));
    if (!a->row_ptr || !a->col || !a->val)
        return SOLVER_NO_MEMORY;
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            int row = i * n + j;
            a->row_ptr[row] = k;
            if (i > 0) {
                a->col[k] = row - n;
                a->val[k++] = -1;
            }
            if (j > 0) {
                a->col[k] = row - 1;
                a->val[k++] = -1;
            }
            a->col[k] = row;
            a->val[k++] = 4 + 0.1 * ((row * 7) % 5);
            if (j < n - 1) {
                a->col[k] = row + 1;
                a->val[k++] = -1;
            }
            if (i < n - 1) {
                a->col[k] = row + n;
                a->val[k++] = -1;
            }
        }
    }
    a->row_ptr[rows] = k;
    a->nonzeros = k;
    return SOLVER_OK;
}

void csr_destroy(csr_t *a)
{
    free(a->row_ptr);
    free(a->col);
    free(a->val);
    memset(a, 0, sizeof *a);
}

void csr_multiply(const csr_t *a, const real *x, real *y)
{
    for (int i = 0; i < a->rows; i++) {
        real s = 0;
        for (int k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            s += a->val[k] * x[a->col[k]];
        y[i] = s;
    }
}

void csr_multiply_transposed(const csr_t *a, const real *x, real *y)
{
    for (int j = 0; j < a->cols; j++)
        y[j] = 0;
    for (int i = 0; i < a->rows; i++)
        for (int k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            y[a->col[k]] += a->val[k] * x[i];
}

void csr_diagonal(const csr_t *a, real *d)
{
    for (int i = 0; i < a->rows; i++) {
        d[i] = 1;
        for (int k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            if (a->col[k] == i)
                d[i] = a->val[k];
    }
}

void csr_scale_rows(csr_t *a, const real *d)
{
    for (int i = 0; i < a->rows; i++)
        for (int k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            a->val[k] *= d[i];
}

real csr_norm_inf(const csr_t *a)
{
    real largest = 0;

    for (int i = 0; i < a->rows; i++) {
        real s = 0;
        for (int k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            s += fabs(a->val[k]);
        if (s > largest)
            largest = s;
    }
    return largest;
}

result_t solve_cg(const csr_t *a, const real *b, real *x, const options_t *o)
{
    int i, n = a->rows;
    real *r = solver_alloc(n), *p = solver_alloc(n), *q = solver_alloc(n);
    real rho = 0, first;
    result_t result = {0, 0, SOLVER_NOT_CONVERGED};

    csr_multiply(a, x, q);
    for (i = 0; i < n; i++) {
        r[i] = b[i] - q[i];
        p[i] = r[i];
        rho += r[i] * r[i];
    }
    first = sqrt(rho);
    while (result.iterations < o->max_iterations) {
        real alpha, next = 0, pq = 0;
        csr_multiply(a, p, q);
        for (i = 0; i < n; i++)
            pq += p[i] * q[i];
        if (pq <= 0) {
            result.status = SOLVER_SINGULAR;
            break;
        }
        alpha = rho / pq;
        for (i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        for (i = 0; i < n; i++)
            next += r[i] * r[i];
        result.iterations++;
        result.residual = sqrt(next);
        if (result.residual <= o->tolerance * first) {
            result.status = SOLVER_OK;
            break;
        }
        for (i = 0; i < n; i++)
            p[i] = r[i] + (next / rho) * p[i];
        rho = next;
    }
    free(r);
    free(p);
    free(q);
    return result;
}

/* With the diagonal as preconditioner. */
result_t solve_pcg(const csr_t *a, const real *b, real *x, const options_t *o)
{
    int n = a->rows;
    real *work = solver_alloc((size_t)5 * n);
    real *r = work, *z = work + n, *p = work + 2 * n, *q = work + 3 * n, *d = work + 4 * n;
    real rz, first;
    result_t result = {0, 0, SOLVER_NOT_CONVERGED};

    csr_diagonal(a, d);
    csr_multiply(a, x, q);
    for (int i = 0; i < n; i++)
        r[i] = b[i] - q[i];
    for (int i = 0; i < n; i++)
        z[i] = r[i] / d[i];
    copy(n, z, p);
    rz = dot(r, z, n);
    first = norm_2(r, n);
    while (result.iterations < o->max_iterations) {
        real alpha, beta;
        csr_multiply(a, p, q);
        alpha = rz / dot(p, q, n);
        axpy(n, alpha, p, x);
        axpy(n, -alpha, q, r);
        result.iterations++;
        result.residual = norm_2(r, n);
        if (result.residual <= o->tolerance * first) {
            result.status = SOLVER_OK;
            break;
        }
        for (int i = 0; i < n; i++)
            z[i] = r[i] / d[i];
        beta = rz;
        rz = dot(r, z, n);
        xpby(n, z, rz / beta, p);
    }
    free(work);
    return result;
}

result_t solve_bicgstab(const csr_t *a, const real *b, real *x, const options_t *o)
{
    int i, n = a->rows;
    real *r = solver_alloc(n), *rt = solver_alloc(n), *p = solver_alloc(n);
    real *v = solver_alloc(n), *s = solver_alloc(n), *t = solver_alloc(n);
    real rho = 1, alpha = 1, omega = 1, first;
    result_t result = {0, 0, SOLVER_NOT_CONVERGED};

    csr_multiply(a, x, r);
    for (i = 0; i < n; i++) {
        r[i] = b[i] - r[i];
        rt[i] = r[i];
    }
    first = norm_2(r, n);
    while (result.iterations < o->max_iterations) {
        real next = dot(rt, r, n), beta;
        if (next == 0) {
            result.status = SOLVER_DIVERGED;
            break;
        }
        beta = (next / rho) * (alpha / omega);
        for (i = 0; i < n; i++)
            p[i] = r[i] + beta * (p[i] - omega * v[i]);
        csr_multiply(a, p, v);
        alpha = next / dot(rt, v, n);
        for (i = 0; i < n; i++)
            s[i] = r[i] - alpha * v[i];
        csr_multiply(a, s, t);
        omega = dot(t, s, n) / dot(t, t, n);
        for (i = 0; i < n; i++) {
            x[i] += alpha * p[i] + omega * s[i];
            r[i] = s[i] - omega * t[i];
        }
        rho = next;
        result.iterations++;
        result.residual = norm_2(r, n);
        if (result.residual <= o->tolerance * first) {
            result.status = SOLVER_OK;
            break;
        }
    }
    free(r);
    free(rt);
    free(p);
    free(v);
    free(s);
    free(t);
    return result;
}
