/* Control flow, index sets, diagonals: families F20 to F24. */
#include <math.h>

/* F20: masked store, one predicate */
void f20_masked(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        if (q[i] < r[i])
            p[i] = p[i] - r[i] * r[i];
}

void f20_own_value(int n, float *p, const float *q)
{
    for (int i = 0; i < n; i++)
        if (p[i] < 0.0f)
            p[i] = p[i] + q[i];
}

void f20_guarded_division(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        if (r[i] > 0.0f)
            p[i] = q[i] / r[i];
}

void f20_goto_behind(int n, float *p, const float *q)
{
    for (int i = 0; i < n; i++) {
        if (q[i] < 0.0f)
            goto next;
        p[i] = q[i] * q[i];
    next:;
    }
}

void f20_matrix(int n, float P[n][n], const float Q[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (Q[i][j] > 0.0f)
                P[i][j] = P[i][j] + Q[i][j];
}

void f20_two_stores(int n, float *p, float *w, const float *q)
{
    for (int i = 0; i < n; i++)
        if (q[i] > 0.0f) {
            p[i] = q[i];
            w[i] = p[i] * 2.0f;
        }
}

void f20_nested_domain(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        if (q[i] > 0.0f)
            if (r[i] > 0.0f)
                p[i] = sqrtf(r[i]) / q[i];
}

/* F21: if/else and goto diamonds, three-way and computed branches, switch */
void f21_three_ways(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++) {
        if (q[i] < -1.0f)
            p[i] = r[i];
        else if (q[i] > 1.0f)
            p[i] = -r[i];
        else
            p[i] = p[i] * q[i];
    }
}

void f21_diamond(int n, float *p, float *w, const float *q, const float *r)
{
    for (int i = 0; i < n; i++) {
        if (q[i] > r[i]) {
            p[i] = q[i];
            w[i] = p[i] + 1.0f;
        } else {
            p[i] = r[i];
            w[i] = p[i] - 1.0f;
        }
    }
}

void f21_goto_diamond(int n, float *p, float *q, const float *r)
{
    for (int i = 0; i < n; i++) {
        if (p[i] > 0.0f)
            goto positive;
        q[i] = -q[i] + r[i] * r[i];
        if (q[i] <= p[i])
            goto joined;
        p[i] = p[i] + 1.0f;
        goto joined;
    positive:
        p[i] = p[i] + r[i];
    joined:
        q[i] = q[i] + p[i];
    }
}

void f21_switch(int n, float *p, const int *kind, const float *q)
{
    for (int i = 0; i < n; i++) {
        switch (kind[i]) {
        case 0:
            p[i] = q[i];
            break;
        case 1:
            p[i] = q[i] * 2.0f;
            break;
        case 2:
            p[i] = -q[i];
            break;
        default:
            p[i] = 0.0f;
        }
    }
}

void f21_both_sides(int n, float *p, float *w, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        if (q[i] > 0.0f)
            p[i] = q[i] * r[i];
        else
            w[i] = q[i] + r[i];
}

void f21_nested(int n, float *p, const float *q, const float *r, float limit)
{
    for (int i = 0; i < n; i++) {
        if (q[i] > 0.0f) {
            if (r[i] > limit)
                p[i] = limit;
            else
                p[i] = r[i];
        } else
            p[i] = q[i];
    }
}

void f21_ternary(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        p[i] = q[i] < 0.0f ? 0.0f : r[i] < 0.0f ? -1.0f : 1.0f;
}

void f21_uniform(int n, float *p, const float *q, int mode)
{
    for (int i = 0; i < n; i++) {
        if (mode > 0)
            p[i] = q[i] * 2.0f;
        else
            p[i] = q[i] + 2.0f;
    }
}

/* F22: guards that are coupled to a store in the next iteration */
void f22_next(int n, float *p, float *w, const float *q, const float *r)
{
    for (int i = 0; i < n - 1; i++) {
        if (p[i] > 1.0f)
            w[i] = w[i] + 1.0f;
        if (q[i] > 0.0f)
            p[i + 1] = r[i];
    }
}

void f22_chain(int n, float *p, const float *q, const float *r)
{
    for (int i = 1; i < n; i++) {
        if (q[i] > 0.0f)
            p[i] = r[i];
        else
            p[i] = p[i - 1];
    }
}

/* F23: index-set splitting, crossing thresholds */
void f23_reversed_in_place(int n, float *p, const float *q)
{
    for (int i = 0; i < n; i++)
        p[i] = 2.0f * p[n - 1 - i] + q[i];
}

void f23_threshold(int n, int h, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++) {
        if (i < h)
            p[i] = q[i] + 1.0f;
        else
            p[i] = r[i] * q[i];
    }
}

/* F24: diagonals */
void f24_diagonal(int n, float P[n][n], const float Q[n][n])
{
    for (int i = 0; i < n; i++)
        P[i][i] = Q[i][i] - P[i][i];
}

void f24_identity(int n, float P[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            P[i][j] = 0.0f;
        P[i][i] = 1.0f;
    }
}
