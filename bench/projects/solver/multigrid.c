/* multigrid.c - V-cycles on grids of 2^k + 1 points. */
#include <math.h>

#include "solver.h"

int hierarchy_create(hierarchy_t *h, int n)
{
    h->levels = 0;
    while (h->levels < MAX_LEVELS && n >= 3) {
        size_t cells = (size_t)n * n;
        int l = h->levels++;
        h->n[l] = n;
        h->u[l] = solver_alloc(cells);
        h->f[l] = solver_alloc(cells);
        h->r[l] = solver_alloc(cells);
        if (n == 3)
            break;
        if ((n - 1) % 2 != 0)
            return SOLVER_BAD_ARGUMENT;
        n = (n - 1) / 2 + 1;
    }
    return SOLVER_OK;
}

void hierarchy_destroy(hierarchy_t *h)
{
    for (int l = 0; l < h->levels; l++) {
        free(h->u[l]);
        free(h->f[l]);
        free(h->r[l]);
    }
    h->levels = 0;
}

/* Full weighting: from 2 nc - 1 points along each axis to nc. */
void mg_restrict(int nc, const real *fine, real *coarse)
{
    int nf = 2 * nc - 1;

    for (int i = 1; i < nc - 1; i++) {
        for (int j = 1; j < nc - 1; j++) {
            const real *p = fine + 2 * i * nf + 2 * j;
            coarse[i * nc + j] = 0.25 * p[0] + 0.125 * (p[-1] + p[1] + p[-nf] + p[nf])
                                 + 0.0625 * (p[-nf - 1] + p[-nf + 1] + p[nf - 1] + p[nf + 1]);
        }
    }
}

/* Bilinear interpolation, added to what is there. */
void mg_prolong_add(int nc, const real *coarse, real *fine)
{
    int nf = 2 * nc - 1;
    int i, j;

    for (i = 0; i < nc; i++)
        for (j = 0; j < nc; j++)
            fine[2 * i * nf + 2 * j] += coarse[i * nc + j];
    for (i = 0; i < nc - 1; i++)
        for (j = 0; j < nc; j++)
            fine[(2 * i + 1) * nf + 2 * j] += 0.5 * (coarse[i * nc + j] + coarse[(i + 1) * nc + j]);
    for (i = 0; i < nc; i++)
        for (j = 0; j < nc - 1; j++)
            fine[2 * i * nf + 2 * j + 1] += 0.5 * (coarse[i * nc + j] + coarse[i * nc + j + 1]);
    for (i = 0; i < nc - 1; i++)
        for (j = 0; j < nc - 1; j++)
            fine[(2 * i + 1) * nf + 2 * j + 1] += 0.25 * (coarse[i * nc + j] + coarse[(i + 1) * nc + j]
                                                          + coarse[i * nc + j + 1] + coarse[(i + 1) * nc + j + 1]);
}

static void smooth(int n, real h2, real *u, const real *f, real *scratch, int sweeps)
{
    for (int s = 0; s < sweeps; s++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                scratch[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] + h2 * f[i * n + j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                u[i * n + j] += 0.8 * (scratch[i * n + j] - u[i * n + j]);
    }
}

static void cycle(hierarchy_t *h, int level, const options_t *o)
{
    int n = h->n[level];
    real step = 1.0 / (n - 1), h2 = step * step;

    if (level == h->levels - 1) {
        smooth(n, h2, h->u[level], h->f[level], h->r[level], 20);
        return;
    }
    smooth(n, h2, h->u[level], h->f[level], h->r[level], o->pre_sweeps);
    poisson_residual(n, n, h2, h->u[level], h->f[level], h->r[level]);
    mg_restrict(h->n[level + 1], h->r[level], h->f[level + 1]);
    set(h->n[level + 1] * h->n[level + 1], 0, h->u[level + 1]);
    cycle(h, level + 1, o);
    mg_prolong_add(h->n[level + 1], h->u[level + 1], h->u[level]);
    smooth(n, h2, h->u[level], h->f[level], h->r[level], o->post_sweeps);
}

result_t solve_multigrid(hierarchy_t *h, const options_t *o)
{
    int n = h->n[0];
    real h2 = 1.0 / ((real)(n - 1) * (n - 1));
    result_t result = {0, 0, SOLVER_NOT_CONVERGED};

    while (result.iterations < o->max_iterations) {
        cycle(h, 0, o);
        result.iterations++;
        result.residual = poisson_residual(n, n, h2, h->u[0], h->f[0], h->r[0]);
        solver_log(o, LOG_VERBOSE, "cycle %d: %g", result.iterations, result.residual);
        if (result.residual < o->tolerance) {
            result.status = SOLVER_OK;
            break;
        }
    }
    return result;
}
