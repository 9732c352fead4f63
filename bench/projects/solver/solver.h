/* solver.h - grids, sparse and dense matrices, and the methods that solve equations with them. */
#ifndef SOLVER_H
#define SOLVER_H

#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>

#ifdef USE_FLOAT
typedef float real;
#else
typedef double real;
#endif

#define MAX_LEVELS 12
#define IDX(g, i, j) ((i) * (g)->ny + (j))

enum solver_error {
    SOLVER_OK = 0,
    SOLVER_NO_MEMORY,
    SOLVER_BAD_ARGUMENT,
    SOLVER_SINGULAR,
    SOLVER_DIVERGED,
    SOLVER_NOT_CONVERGED
};

enum boundary { DIRICHLET, NEUMANN, PERIODIC };

enum log_level { LOG_QUIET, LOG_NORMAL, LOG_VERBOSE };

/* A grid of nx times ny points, boundary included, with its values in rows. */
typedef struct {
    int nx, ny;
    real hx, hy;
    enum boundary kind;
    real *u;
} grid_t;

/* Compressed sparse rows. */
typedef struct {
    int rows, cols, nonzeros;
    int *row_ptr;
    int *col;
    real *val;
} csr_t;

typedef struct {
    real tolerance;
    int max_iterations;
    real omega;     /* of over-relaxation */
    int check_each; /* iterations between tests for convergence */
    int pre_sweeps, post_sweeps;
    enum log_level verbosity;
} options_t;

typedef struct {
    int iterations;
    real residual;
    enum solver_error status;
} result_t;

typedef struct {
    int levels;
    int n[MAX_LEVELS];
    real *u[MAX_LEVELS], *f[MAX_LEVELS], *r[MAX_LEVELS];
} hierarchy_t;

typedef void (*rhs_fn)(real t, const real *y, real *dy, int n, void *ctx);

/* report.c */
void options_default(options_t *o);
int options_set(options_t *o, const char *name, double value);
void solver_log(const options_t *o, enum log_level level, const char *format, ...);
void solver_fail(enum solver_error error, const char *where, ...);
const char *solver_message(enum solver_error error);
real *solver_alloc(size_t n);

/* grid.c */
int grid_create(grid_t *g, int nx, int ny, enum boundary kind);
void grid_destroy(grid_t *g);
void grid_fill(grid_t *g, real value);
void grid_copy(const grid_t *from, grid_t *to);
void grid_boundary(grid_t *g, real value);
void grid_laplacian(const grid_t *g, real *out);
void grid_gradient(const grid_t *g, real *gx, real *gy);
void grid_divergence(const grid_t *g, const real *vx, const real *vy, real *out);
void grid_source(const grid_t *g, real *f);
void grid_axpy(grid_t *g, real alpha, const grid_t *other);
real grid_integral(const grid_t *g);
void grid_smooth(const grid_t *g, grid_t *out);
void grid_advect(const grid_t *g, grid_t *out, real vx, real vy, real dt);
void heat_step(const grid_t *g, grid_t *out, real dt, real conductivity);
void wave_step(int n, real c2, const real *now, const real *before, real *next);

/* relax.c */
result_t solve_jacobi(grid_t *g, const real *f, const options_t *o);
result_t solve_gauss_seidel(grid_t *g, const real *f, const options_t *o);
result_t solve_sor(grid_t *g, const real *f, const options_t *o);
result_t solve_red_black(grid_t *g, const real *f, const options_t *o);
void jacobi_sweep(int nx, int ny, real h2, const real *u, const real *f, real *out);
real poisson_residual(int nx, int ny, real h2, const real *u, const real *f, real *r);

/* multigrid.c */
int hierarchy_create(hierarchy_t *h, int n);
void hierarchy_destroy(hierarchy_t *h);
void mg_restrict(int nc, const real *fine, real *coarse);
void mg_prolong_add(int nc, const real *coarse, real *fine);
result_t solve_multigrid(hierarchy_t *h, const options_t *o);

/* krylov.c */
int csr_poisson(csr_t *a, int n);
void csr_destroy(csr_t *a);
void csr_multiply(const csr_t *a, const real *x, real *y);
void csr_multiply_transposed(const csr_t *a, const real *x, real *y);
void csr_diagonal(const csr_t *a, real *d);
void csr_scale_rows(csr_t *a, const real *d);
real csr_norm_inf(const csr_t *a);
result_t solve_cg(const csr_t *a, const real *b, real *x, const options_t *o);
result_t solve_pcg(const csr_t *a, const real *b, real *x, const options_t *o);
result_t solve_bicgstab(const csr_t *a, const real *b, real *x, const options_t *o);

/* dense.c */
enum solver_error lu_factor(int n, real *a, int *pivots);
void lu_solve(int n, const real *lu, const int *pivots, real *b);
enum solver_error cholesky_factor(int n, real *a);
void cholesky_solve(int n, const real *l, real *b);
void dense_multiply(int n, int m, int k, const real *a, const real *b, real *c);
void dense_vector(int n, int m, const real *a, const real *x, real *y);
void dense_transpose(int n, int m, const real *a, real *t);
void dense_rank_one(int n, int m, real alpha, const real *x, const real *y, real *a);
void dense_gram(int n, int m, const real *a, real *g);
void gram_schmidt(int n, int m, real *q, real *r);
real power_iteration(int n, const real *a, real *x, real *w, int steps);
real determinant(int n, const real *lu, const int *pivots);

/* banded.c */
enum solver_error tridiagonal_solve(int n, const real *a, const real *b, const real *c, real *d, real *work);
void tridiagonal_multiply(int n, const real *a, const real *b, const real *c, const real *x, real *y);
enum solver_error crank_nicolson(int n, real lambda, real *u, int steps);
void spline_second(int n, real h, const real *y, real *m, real *work);
void band_multiply(int n, int k, const real *band, const real *x, real *y);
void thomas_lines(int lines, int n, real lambda, real *u, real *work);

/* ode.c */
void rk4_step(rhs_fn f, real t, real h, real *y, int n, real *work, void *ctx);
int rk45_integrate(rhs_fn f, real t0, real t1, real *y, int n, real tolerance, real *work, void *ctx);
void leapfrog(int bodies, const real *mass, real *x, real *v, real *acc, real dt, int steps);
void gravity(int bodies, const real *mass, const real *x, real *acc);
real kinetic_energy(int bodies, const real *mass, const real *v);
void brusselator(real t, const real *y, real *dy, int n, void *ctx);
void adams_bashforth(int n, real h, const real *f0, const real *f1, const real *f2, real *y);

/* norms.c */
real norm_1(const real *x, int n);
real norm_2(const real *x, int n);
real norm_inf(const real *x, int n);
real norm_scaled(const real *x, int n);
real dot(const real *x, const real *y, int n);
real distance_inf(const real *x, const real *y, int n);
void axpy(int n, real alpha, const real *x, real *y);
void xpby(int n, const real *x, real beta, real *y);
void scale(int n, real alpha, real *x);
void copy(int n, const real *x, real *y);
void set(int n, real value, real *x);
real weighted_rms(const real *x, const real *y, int n, real absolute, real relative);
real mean(const real *x, int n);
real total_variation(const real *x, int n);

#endif
