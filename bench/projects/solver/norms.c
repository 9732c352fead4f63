/* norms.c - vectors: norms, products, updates. */
#include <math.h>

#include "solver.h"

real norm_1(const real *x, int n)
{
    real s = 0;
    for (int i = 0; i < n; i++)
        s += fabs(x[i]);
    return s;
}

real norm_2(const real *x, int n)
{
    real s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

real norm_inf(const real *x, int n)
{
    real m = 0;
    for (int i = 0; i < n; i++) {
        real a = fabs(x[i]);
        if (a > m)
            m = a;
    }
    return m;
}

/* As norm_2, without overflow. */
real norm_scaled(const real *x, int n)
{
    real biggest = 0, sum = 1;
    for (int i = 0; i < n; i++) {
        if (x[i] != 0) {
            real a = fabs(x[i]);
            if (biggest < a) {
                sum = 1 + sum * (biggest / a) * (biggest / a);
                biggest = a;
            } else {
                sum += (a / biggest) * (a / biggest);
            }
        }
    }
    return biggest * sqrt(sum);
}

real dot(const real *x, const real *y, int n)
{
    real s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

real distance_inf(const real *x, const real *y, int n)
{
    real m = 0;
    for (int i = 0; i < n; i++) {
        real d = fabs(x[i] - y[i]);
        m = d > m ? d : m;
    }
    return m;
}

void axpy(int n, real alpha, const real *x, real *y)
{
    for (int i = 0; i < n; i++)
        y[i] += alpha * x[i];
}

void xpby(int n, const real *x, real beta, real *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + beta * y[i];
}

void scale(int n, real alpha, real *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= alpha;
}

void copy(int n, const real *x, real *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}

void set(int n, real value, real *x)
{
    for (int i = 0; i < n; i++)
        x[i] = value;
}

real weighted_rms(const real *x, const real *y, int n, real absolute, real relative)
{
    real s = 0;
    for (int i = 0; i < n; i++) {
        real w = x[i] / (absolute + relative * fabs(y[i]));
        s += w * w;
    }
    return sqrt(s / n);
}

real mean(const real *x, int n)
{
    real s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return n > 0 ? s / n : 0;
}

real total_variation(const real *x, int n)
{
    real s = 0;
    for (int i = 1; i < n; i++)
        s += fabs(x[i] - x[i - 1]);
    return s;
}
