/* relax.c - Poisson's equation by relaxation, until it converges. */
#include <math.h>
#include <string.h>

#include "solver.h"

real poisson_residual(int nx, int ny, real h2, const real *u, const real *f, real *r)
{
    real sum = 0;

    for (int i = 1; i < nx - 1; i++) {
        for (int j = 1; j < ny - 1; j++) {
            int k = i * ny + j;
            r[k] = f[k] - (4 * u[k] - u[k - 1] - u[k + 1] - u[k - ny] - u[k + ny]) / h2;
            sum += r[k] * r[k];
        }
    }
    return sqrt(sum / ((nx - 2) * (real)(ny - 2)));
}

void jacobi_sweep(int nx, int ny, real h2, const real *u, const real *f, real *out)
{
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            out[i * ny + j] = 0.25 * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] + u[i * ny + j - 1] + u[i * ny + j + 1] + h2 * f[i * ny + j]);
}

static enum solver_error judged(real residual, real first, const options_t *o)
{
    if (!(residual == residual) || residual > 1e6 * (first + 1))
        return SOLVER_DIVERGED;
    return residual <= o->tolerance ? SOLVER_OK : SOLVER_NOT_CONVERGED;
}

result_t solve_jacobi(grid_t *g, const real *f, const options_t *o)
{
    int it, nx = g->nx, ny = g->ny;
    real h2 = g->hx * g->hx;
    real *next = solver_alloc((size_t)nx * ny);
    real *r = solver_alloc((size_t)nx * ny);
    real first = poisson_residual(nx, ny, h2, g->u, f, r);
    result_t result = {0, first, SOLVER_NOT_CONVERGED};

    memcpy(next, g->u, (size_t)nx * ny * sizeof(real));
    for (it = 0; it < o->max_iterations && result.status == SOLVER_NOT_CONVERGED; it += 2) {
        jacobi_sweep(nx, ny, h2, g->u, f, next);
        jacobi_sweep(nx, ny, h2, next, f, g->u);
        if (it % o->check_each == 0) {
            result.residual = poisson_residual(nx, ny, h2, g->u, f, r);
            result.status = judged(result.residual, first, o);
            solver_log(o, LOG_VERBOSE, "jacobi %d: %g", it, result.residual);
        }
    }
    result.iterations = it;
    free(next);
    free(r);
    return result;
}

result_t solve_gauss_seidel(grid_t *g, const real *f, const options_t *o)
{
    int it, i, j, nx = g->nx, ny = g->ny;
    real h2 = g->hx * g->hx;
    real *u = g->u;
    result_t result = {0, 0, SOLVER_NOT_CONVERGED};

    for (it = 0; it < o->max_iterations; it++) {
        real change = 0;
        for (i = 1; i < nx - 1; i++) {
            for (j = 1; j < ny - 1; j++) {
                real old = u[i * ny + j];
                real new = 0.25 * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] + u[i * ny + j - 1] + u[i * ny + j + 1] + h2 * f[i * ny + j]);
                u[i * ny + j] = new;
                change = fmax(change, fabs(new - old));
            }
        }
        result.residual = change;
        if (change < o->tolerance) {
            result.status = SOLVER_OK;
            break;
        }
    }
    result.iterations = it;
    return result;
}

result_t solve_sor(grid_t *g, const real *f, const options_t *o)
{
    int it, i, j, nx = g->nx, ny = g->ny;
    real h2 = g->hx * g->hx, omega = o->omega;
    real *u = g->u;
    real *r;
    result_t result = {0, 0, SOLVER_NOT_CONVERGED};

    if (omega <= 0 || omega >= 2)
        solver_fail(SOLVER_BAD_ARGUMENT, "solve_sor: omega %g", (double)omega);
    r = solver_alloc((size_t)nx * ny);
    for (it = 0; it < o->max_iterations; it++) {
        for (i = 1; i < nx - 1; i++)
            for (j = 1; j < ny - 1; j++) {
                real gs = 0.25 * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] + u[i * ny + j - 1] + u[i * ny + j + 1] + h2 * f[i * ny + j]);
                u[i * ny + j] = (1 - omega) * u[i * ny + j] + omega * gs;
            }
        if (it % o->check_each == 0) {
            result.residual = poisson_residual(nx, ny, h2, u, f, r);
            if (result.residual < o->tolerance) {
                result.status = SOLVER_OK;
                break;
            }
        }
    }
    result.iterations = it;
    free(r);
    return result;
}

static void sweep_of_colour(int nx, int ny, real h2, real *u, const real *f, int colour)
{
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < ny - 1; j += 2)
            u[i * ny + j] = 0.25 * (u[(i - 1) * ny + j] + u[(i + 1) * ny + j] + u[i * ny + j - 1] + u[i * ny + j + 1] + h2 * f[i * ny + j]);
}

result_t solve_red_black(grid_t *g, const real *f, const options_t *o)
{
    int it;
    real h2 = g->hx * g->hx;
    real *r = solver_alloc((size_t)g->nx * g->ny);
    result_t result = {0, 0, SOLVER_NOT_CONVERGED};

    for (it = 0; it < o->max_iterations; it++) {
        sweep_of_colour(g->nx, g->ny, h2, g->u, f, 0);
        sweep_of_colour(g->nx, g->ny, h2, g->u, f, 1);
        if ((it + 1) % o->check_each == 0) {
            result.residual = poisson_residual(g->nx, g->ny, h2, g->u, f, r);
            if (result.residual < o->tolerance) {
                result.status = SOLVER_OK;
                break;
            }
        }
    }
    result.iterations = it;
    free(r);
    return result;
}
