/* ode.c - ordinary differential equations. */
#include <math.h>

#include "solver.h"

void rk4_step(rhs_fn f, real t, real h, real *y, int n, real *work, void *ctx)
{
    real *k1 = work, *k2 = work + n, *k3 = work + 2 * n, *k4 = work + 3 * n, *tmp = work + 4 * n;
    int i;

    f(t, y, k1, n, ctx);
    for (i = 0; i < n; i++)
        tmp[i] = y[i] + 0.5 * h * k1[i];
    f(t + 0.5 * h, tmp, k2, n, ctx);
    for (i = 0; i < n; i++)
        tmp[i] = y[i] + 0.5 * h * k2[i];
    f(t + 0.5 * h, tmp, k3, n, ctx);
    for (i = 0; i < n; i++)
        tmp[i] = y[i] + h * k3[i];
    f(t + h, tmp, k4, n, ctx);
    for (i = 0; i < n; i++)
        y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

/* Steps that are halved and doubled by what two half steps differ from a whole one; returns how many were taken. */
int rk45_integrate(rhs_fn f, real t0, real t1, real *y, int n, real tolerance, real *work, void *ctx)
{
    real *whole = work, *halves = work + n, *scratch = work + 2 * n;
    real t = t0, h = (t1 - t0) / 100;
    int steps = 0;

    while (t < t1 && steps < 100000) {
        real error = 0;
        if (t + h > t1)
            h = t1 - t;
        for (int i = 0; i < n; i++) {
            whole[i] = y[i];
            halves[i] = y[i];
        }
        rk4_step(f, t, h, whole, n, scratch, ctx);
        rk4_step(f, t, h / 2, halves, n, scratch, ctx);
        rk4_step(f, t + h / 2, h / 2, halves, n, scratch, ctx);
        for (int i = 0; i < n; i++) {
            real e = fabs(halves[i] - whole[i]);
            if (e > error)
                error = e;
        }
        steps++;
        if (error > tolerance) {
            h *= 0.5;
            continue;
        }
        for (int i = 0; i < n; i++)
            y[i] = halves[i] + (halves[i] - whole[i]) / 15;
        t += h;
        if (error < tolerance / 64)
            h *= 2;
    }
    return steps;
}

void gravity(int bodies, const real *mass, const real *x, real *acc)
{
    for (int i = 0; i < bodies; i++) {
        real ax = 0, ay = 0, az = 0;
        for (int j = 0; j < bodies; j++) {
            real dx = x[3 * j] - x[3 * i];
            real dy = x[3 * j + 1] - x[3 * i + 1];
            real dz = x[3 * j + 2] - x[3 * i + 2];
            real r2 = dx * dx + dy * dy + dz * dz + 0.01;
            real w = mass[j] / (r2 * sqrt(r2));
            ax += w * dx;
            ay += w * dy;
            az += w * dz;
        }
        acc[3 * i] = ax;
        acc[3 * i + 1] = ay;
        acc[3 * i + 2] = az;
    }
}

void leapfrog(int bodies, const real *mass, real *x, real *v, real *acc, real dt, int steps)
{
    gravity(bodies, mass, x, acc);
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < 3 * bodies; i++)
            v[i] += 0.5 * dt * acc[i];
        for (int i = 0; i < 3 * bodies; i++)
            x[i] += dt * v[i];
        gravity(bodies, mass, x, acc);
        for (int i = 0; i < 3 * bodies; i++)
            v[i] += 0.5 * dt * acc[i];
    }
}

real kinetic_energy(int bodies, const real *mass, const real *v)
{
    real e = 0;

    for (int b = 0; b < bodies; b++)
        for (int c = 0; c < 3; c++)
            e += 0.5 * mass[b] * v[3 * b + c] * v[3 * b + c];
    return e;
}

/* A reaction with diffusion: the first half of y is one substance, the second half the other. */
void brusselator(real t, const real *y, real *dy, int n, void *ctx)
{
    const real *parameters = ctx;
    real a = parameters[0], b = parameters[1], d = parameters[2];
    int half = n / 2;

    (void)t;
    for (int i = 0; i < half; i++) {
        int left = i == 0 ? half - 1 : i - 1;
        int right = i == half - 1 ? 0 : i + 1;
        real u = y[i], v = y[half + i];
        dy[i] = a + u * u * v - (b + 1) * u + d * (y[left] - 2 * u + y[right]);
        dy[half + i] = b * u - u * u * v + d * (y[half + left] - 2 * v + y[half + right]);
    }
}

void adams_bashforth(int n, real h, const real *f0, const real *f1, const real *f2, real *y)
{
    for (int i = 0; i < n; i++)
        y[i] += h / 12 * (23 * f0[i] - 16 * f1[i] + 5 * f2[i]);
}
