/* main.c - solves model problems by all methods, and prints figures of what comes out. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "solver.h"

#define N 257
#define DENSE 240

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(int status, const char *what)
{
    if (status != SOLVER_OK)
        solver_fail((enum solver_error)status, "%s", what);
}

static void show(const char *what, const result_t *result, const real *x, int n)
{
    printf("%-14s %-14s norm %.4g max %.4g\n", what, solver_message(result->status), (double)norm_2(x, n), (double)norm_inf(x, n));
}

static void relaxation(const options_t *given)
{
    options_t o = *given;
    grid_t g;
    real *f;
    result_t result;

    check(grid_create(&g, 129, 129, DIRICHLET), "grid_create");
    f = solver_alloc((size_t)g.nx * g.ny);
    grid_source(&g, f);
    check(options_set(&o, "max_iterations", 600), "option");
    result = solve_jacobi(&g, f, &o);
    show("jacobi", &result, g.u, g.nx * g.ny);
    check(options_set(&o, "max_iterations", 150), "option");
    result = solve_gauss_seidel(&g, f, &o);
    show("gauss-seidel", &result, g.u, g.nx * g.ny);
    grid_fill(&g, 0);
    o.omega = 1.9;
    result = solve_sor(&g, f, &o);
    show("sor", &result, g.u, g.nx * g.ny);
    result = solve_red_black(&g, f, &o);
    show("red-black", &result, g.u, g.nx * g.ny);
    free(f);
    grid_destroy(&g);
}

static void multigrid(const options_t *given)
{
    options_t o = *given;
    hierarchy_t h;
    grid_t g;
    result_t result;

    check(grid_create(&g, N, N, DIRICHLET), "grid_create");
    check(hierarchy_create(&h, N), "hierarchy_create");
    grid_source(&g, h.f[0]);
    o.max_iterations = 12;
    o.tolerance = 1e-12;
    result = solve_multigrid(&h, &o);
    show("multigrid", &result, h.u[0], N * N);
    hierarchy_destroy(&h);
    grid_destroy(&g);
}

static void krylov(const options_t *o)
{
    csr_t a;
    int n = 160 * 160;
    real *b = solver_alloc(n), *x = solver_alloc(n), *d = solver_alloc(n);
    result_t result;

    check(csr_poisson(&a, 160), "csr_poisson");
    for (int i = 0; i < n; i++)
        b[i] = 1 + 0.01 * (i % 17);
    result = solve_cg(&a, b, x, o);
    show("cg", &result, x, n);
    set(n, 0, x);
    result = solve_pcg(&a, b, x, o);
    show("pcg", &result, x, n);
    set(n, 0, x);
    result = solve_bicgstab(&a, b, x, o);
    show("bicgstab", &result, x, n);
    csr_multiply_transposed(&a, x, d);
    printf("%-14s %.4g %.4g\n", "transposed", (double)norm_1(d, n), (double)csr_norm_inf(&a));
    csr_diagonal(&a, d);
    for (int i = 0; i < n; i++)
        d[i] = 1 / d[i];
    csr_scale_rows(&a, d);
    csr_multiply(&a, x, d);
    printf("%-14s %.4g\n", "scaled", (double)norm_scaled(d, n));
    csr_destroy(&a);
    free(b);
    free(x);
    free(d);
}

static void dense(const options_t *o)
{
    int n = DENSE;
    size_t cells = (size_t)n * n;
    real *a = solver_alloc(cells), *m = solver_alloc(cells), *t = solver_alloc(cells), *c = solver_alloc(cells);
    real *x = solver_alloc(n), *y = solver_alloc(n);
    int *pivots = malloc((size_t)n * sizeof *pivots);
    real lambda;

    if (!pivots)
        solver_fail(SOLVER_NO_MEMORY, "dense");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = ((i * 37 + j * 101) % 97) / 97.0 + (i == j ? 10 : 0);
    for (int i = 0; i < n; i++)
        x[i] = 1 + i % 3;
    memcpy(m, a, cells * sizeof(real));
    check(lu_factor(n, m, pivots), "lu_factor");
    lu_solve(n, m, pivots, x);
    printf("%-14s %.4g %d\n", "lu", (double)norm_2(x, n), determinant(8, m, pivots) > 0);
    dense_transpose(n, n, a, t);
    dense_multiply(n, n, n, t, a, c);
    dense_gram(n, n, a, m);
    printf("%-14s %d\n", "gram", distance_inf(c, m, n * n) < 1e-6);
    check(cholesky_factor(n, c), "cholesky_factor");
    cholesky_solve(n, c, x);
    printf("%-14s %.4g\n", "cholesky", (double)norm_2(x, n));
    dense_rank_one(n, n, 0.5, x, x, m);
    dense_vector(n, n, m, x, y);
    printf("%-14s %.4g\n", "rank one", (double)norm_2(y, n));
    gram_schmidt(n, n, a, t);
    printf("%-14s %.4g\n", "gram-schmidt", (double)mean(t, n));
    set(n, 1, x);
    lambda = power_iteration(n, m, x, y, 200);
    solver_log(o, LOG_NORMAL, "%-14s %.4g", "eigenvalue", (double)lambda);
    free(a);
    free(m);
    free(t);
    free(c);
    free(x);
    free(y);
    free(pivots);
}

static void lines(const options_t *o)
{
    int n = 2000;
    real *u = solver_alloc((size_t)5 * n), *v = u + n, *w = u + 2 * n, *y = u + 3 * n, *z = u + 4 * n;
    real *band = solver_alloc((size_t)n * 33);

    for (int i = 0; i < n; i++)
        u[i] = sin(0.01 * i);
    check(crank_nicolson(n, 0.4, u, 400), "crank_nicolson");
    printf("%-14s %.4g %.4g\n", "heat line", (double)norm_2(u, n), (double)total_variation(u, n));
    spline_second(n, 0.01, u, v, w);
    printf("%-14s %.4g\n", "spline", (double)norm_2(v, n));
    for (int i = 0; i < n * 33; i++)
        band[i] = 1.0 / (1 + i % 33);
    for (int s = 0; s < 50; s++)
        band_multiply(n, 16, band, u, v);
    tridiagonal_multiply(n, u, v, w, u, y);
    printf("%-14s %.4g %.4g\n", "bands", (double)norm_2(v, n), (double)norm_1(y, n));
    thomas_lines(40, 50, 0.7, v, w);
    printf("%-14s %.4g\n", "lines", (double)norm_2(v, n));
    for (int s = 0; s < 500; s++) {
        wave_step(n, 0.25, u, v, z);
        copy(n, u, v);
        copy(n, z, u);
    }
    scale(n, 0.5, u);
    axpy(n, 1, v, u);
    solver_log(o, LOG_NORMAL, "%-14s %.3g", "waves", (double)norm_2(u, n));
    free(u);
    free(band);
}

static void steps(const options_t *o)
{
    grid_t g, next, zero;
    int cells = N * N;
    real *gx = solver_alloc(cells), *gy = solver_alloc(cells), *div = solver_alloc(cells);

    check(grid_create(&g, N, N, PERIODIC), "grid_create");
    check(grid_create(&next, N, N, NEUMANN), "grid_create");
    check(grid_create(&zero, N, N, DIRICHLET), "grid_create");
    grid_source(&g, g.u);
    for (int s = 0; s < 120; s++) {
        grid_boundary(&g, 0);
        heat_step(&g, &next, 1e-6, 1.0);
        grid_boundary(&next, 0);
        grid_advect(&next, &g, 0.5, -0.25, 1e-3);
        grid_smooth(&g, &next);
        grid_axpy(&g, 0.01, &next);
    }
    grid_copy(&g, &zero);
    grid_boundary(&zero, 0);
    grid_laplacian(&zero, div);
    printf("%-14s %.4g\n", "laplacian", (double)norm_2(div, cells));
    grid_gradient(&zero, gx, gy);
    grid_divergence(&zero, gx, gy, div);
    printf("%-14s %.4g\n", "divergence", (double)norm_2(div, cells));
    solver_log(o, LOG_NORMAL, "%-14s %.4g", "grid", (double)norm_2(zero.u, cells));
    if (grid_integral(&zero) > 1)
        printf("the integral is off\n");
    grid_destroy(&g);
    grid_destroy(&next);
    grid_destroy(&zero);
    free(gx);
    free(gy);
    free(div);
}

static void motion(const options_t *o)
{
    int n = 400, bodies = 200;
    real parameters[3] = {1, 3, 0.02};
    real *y = solver_alloc(n), *work = solver_alloc((size_t)7 * n);
    real *mass = solver_alloc(bodies), *x = solver_alloc((size_t)9 * bodies);
    real *v = x + 3 * bodies, *acc = x + 6 * bodies;
    int taken;

    for (int i = 0; i < n; i++)
        y[i] = i < n / 2 ? 1 + 0.1 * sin(0.1 * i) : 3;
    taken = rk45_integrate(brusselator, 0, 10, y, n, 1e-7, work, parameters);
    solver_log(o, LOG_NORMAL, "%-14s %.4g %d", "brusselator", (double)norm_2(y, n), taken > 0);
    brusselator(0, y, work, n, parameters);
    adams_bashforth(n, 0.01, work, work, work, y);
    printf("%-14s %.4g %.4g\n", "bashforth", (double)norm_2(y, n), (double)weighted_rms(work, y, n, 1e-3, 1e-2));
    for (int b = 0; b < bodies; b++) {
        mass[b] = 1.0 / bodies;
        x[3 * b] = cos(1.0 * b);
        x[3 * b + 1] = sin(1.0 * b);
        x[3 * b + 2] = 0.001 * b;
    }
    leapfrog(bodies, mass, x, v, acc, 0.002, 200);
    printf("%-14s %.3g\n", "bodies", (double)kinetic_energy(bodies, mass, v));
    free(y);
    free(work);
    free(mass);
    free(x);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(const options_t *);
    } parts[] = {
        {"relaxation", relaxation}, {"multigrid", multigrid}, {"krylov", krylov}, {"dense", dense},
        {"lines", lines},           {"steps", steps},         {"motion", motion},
    };
    options_t options;

    options_default(&options);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        double start = now();
        parts[p].run(&options);
        fprintf(stderr, "time: %s %.6f\n", parts[p].name, now() - start);
    }
    return 0;
}
