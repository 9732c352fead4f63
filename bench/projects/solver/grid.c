/* grid.c - grids: boundaries, operators, steps in time. */
#include <math.h>
#include <string.h>

#include "solver.h"

int grid_create(grid_t *g, int nx, int ny, enum boundary kind)
{
    if (nx < 3 || ny < 3)
        return SOLVER_BAD_ARGUMENT;
    g->nx = nx;
    g->ny = ny;
    g->hx = 1.0 / (nx - 1);
    g->hy = 1.0 / (ny - 1);
    g->kind = kind;
    g->u = solver_alloc((size_t)nx * ny);
    return SOLVER_OK;
}

void grid_destroy(grid_t *g)
{
    free(g->u);
    g->u = NULL;
}

void grid_fill(grid_t *g, real value)
{
    for (int i = 0; i < g->nx * g->ny; i++)
        g->u[i] = value;
}

void grid_copy(const grid_t *from, grid_t *to)
{
    memcpy(to->u, from->u, (size_t)from->nx * from->ny * sizeof(real));
}

void grid_boundary(grid_t *g, real value)
{
    int i, j, nx = g->nx, ny = g->ny;
    real *u = g->u;

    switch (g->kind) {
    case DIRICHLET:
        for (j = 0; j < ny; j++) {
            u[j] = value;
            u[(nx - 1) * ny + j] = value;
        }
        for (i = 0; i < nx; i++) {
            u[i * ny] = value;
            u[i * ny + ny - 1] = value;
        }
        break;
    case NEUMANN:
        for (j = 0; j < ny; j++) {
            u[j] = u[ny + j];
            u[(nx - 1) * ny + j] = u[(nx - 2) * ny + j];
        }
        for (i = 0; i < nx; i++) {
            u[i * ny] = u[i * ny + 1];
            u[i * ny + ny - 1] = u[i * ny + ny - 2];
        }
        break;
    case PERIODIC:
        for (j = 0; j < ny; j++) {
            u[j] = u[(nx - 2) * ny + j];
            u[(nx - 1) * ny + j] = u[ny + j];
        }
        for (i = 0; i < nx; i++) {
            u[i * ny] = u[i * ny + ny - 2];
            u[i * ny + ny - 1] = u[i * ny + 1];
        }
        break;
    }
}

void grid_laplacian(const grid_t *g, real *out)
{
    int nx = g->nx, ny = g->ny;
    real cx = 1.0 / (g->hx * g->hx), cy = 1.0 / (g->hy * g->hy);
    const real *u = g->u;

    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            out[i * ny + j] = cx * (u[(i - 1) * ny + j] - 2 * u[i * ny + j] + u[(i + 1) * ny + j])
                              + cy * (u[i * ny + j - 1] - 2 * u[i * ny + j] + u[i * ny + j + 1]);
}

void grid_gradient(const grid_t *g, real *gx, real *gy)
{
    int i, j;
    const real *u = g->u;

    for (i = 1; i < g->nx - 1; i++) {
        for (j = 1; j < g->ny - 1; j++) {
            gx[IDX(g, i, j)] = (u[IDX(g, i + 1, j)] - u[IDX(g, i - 1, j)]) / (2 * g->hx);
            gy[IDX(g, i, j)] = (u[IDX(g, i, j + 1)] - u[IDX(g, i, j - 1)]) / (2 * g->hy);
        }
    }
}

void grid_divergence(const grid_t *g, const real *vx, const real *vy, real *out)
{
    int i, j, nx = g->nx, ny = g->ny;
    real ax = 0.5 / g->hx, ay = 0.5 / g->hy;

    for (i = 1; i < nx - 1; i++)
        for (j = 1; j < ny - 1; j++)
            out[i * ny + j] = ax * (vx[(i + 1) * ny + j] - vx[(i - 1) * ny + j]) + ay * (vy[i * ny + j + 1] - vy[i * ny + j - 1]);
}

void grid_source(const grid_t *g, real *f)
{
    int i, j, nx = g->nx, ny = g->ny;

    for (i = 0; i < nx; i++)
        for (j = 0; j < ny; j++)
            f[i * ny + j] = sin(M_PI * i * g->hx) * sin(2 * M_PI * j * g->hy);
}

void grid_axpy(grid_t *g, real alpha, const grid_t *other)
{
    int n = g->nx * g->ny;

    for (int i = 0; i < n; i++)
        g->u[i] += alpha * other->u[i];
}

/* By the trapezoidal rule. */
real grid_integral(const grid_t *g)
{
    int i, j, nx = g->nx, ny = g->ny;
    real sum = 0;

    for (i = 0; i < nx; i++) {
        for (j = 0; j < ny; j++) {
            real w = 1;
            if (i == 0 || i == nx - 1)
                w *= 0.5;
            if (j == 0 || j == ny - 1)
                w *= 0.5;
            sum += w * g->u[i * ny + j];
        }
    }
    return sum * g->hx * g->hy;
}

void grid_smooth(const grid_t *g, grid_t *out)
{
    static const real kernel[3][3] = {{0.0625, 0.125, 0.0625}, {0.125, 0.25, 0.125}, {0.0625, 0.125, 0.0625}};
    int i, j, a, b, ny = g->ny;

    for (i = 1; i < g->nx - 1; i++) {
        for (j = 1; j < ny - 1; j++) {
            real s = 0;
            for (a = 0; a < 3; a++)
                for (b = 0; b < 3; b++)
                    s += kernel[a][b] * g->u[(i + a - 1) * ny + j + b - 1];
            out->u[i * ny + j] = s;
        }
    }
}

/* Upwind differences. */
void grid_advect(const grid_t *g, grid_t *out, real vx, real vy, real dt)
{
    int i, j, nx = g->nx, ny = g->ny;
    const real *u = g->u;
    real *o = out->u;

    for (i = 1; i < nx - 1; i++) {
        for (j = 1; j < ny - 1; j++) {
            real dx, dy;
            if (vx > 0)
                dx = (u[i * ny + j] - u[(i - 1) * ny + j]) / g->hx;
            else
                dx = (u[(i + 1) * ny + j] - u[i * ny + j]) / g->hx;
            if (vy > 0)
                dy = (u[i * ny + j] - u[i * ny + j - 1]) / g->hy;
            else
                dy = (u[i * ny + j + 1] - u[i * ny + j]) / g->hy;
            o[i * ny + j] = u[i * ny + j] - dt * (vx * dx + vy * dy);
        }
    }
}

void heat_step(const grid_t *g, grid_t *out, real dt, real conductivity)
{
    int i, j, nx = g->nx, ny = g->ny;
    real cx = dt * conductivity / (g->hx * g->hx);
    real cy = dt * conductivity / (g->hy * g->hy);
    const real *restrict u = g->u;
    real *restrict v = out->u;

    for (i = 1; i < nx - 1; i++) {
        for (j = 1; j < ny - 1; j++) {
            int k = i * ny + j;
            v[k] = u[k] + cx * (u[k - ny] - 2 * u[k] + u[k + ny]) + cy * (u[k - 1] - 2 * u[k] + u[k + 1]);
        }
    }
}

void wave_step(int n, real c2, const real *now, const real *before, real *next)
{
    int i;

    next[0] = 0;
    for (i = 1; i < n - 1; i++)
        next[i] = 2 * now[i] - before[i] + c2 * (now[i - 1] - 2 * now[i] + now[i + 1]);
    next[n - 1] = 0;
}
