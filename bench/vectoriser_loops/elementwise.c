/* Loops without a dependence, strides, offsets, fixed cells, induction, calls: families F01 to F12. */
#include <math.h>

/* F01: elementwise control loops */
void f01_sum_of_product(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        p[i] = q[i] + r[i] * q[i];
}

void f01_two_statements(int n, float *p, float *w, const float *q, const float *r)
{
    for (int i = 0; i < n; i++) {
        p[i] = q[i] - 1.0f;
        w[i] = r[i] * p[i];
    }
}

void f01_matrix_sum(int n, float P[n][n], const float Q[n][n], const float R[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            P[i][j] = Q[i][j] * R[i][j] + 2.0f;
}

void f01_square_difference(int n, float *p, const float *q, const float *r, const float *w)
{
    for (int i = 0; i < n; i++)
        p[i] = (p[i] - q[i]) * r[i] + w[i] * w[i];
}

void f01_every_second(int n, float *p, const float *q)
{
    for (int i = 0; i < n - 1; i += 2)
        p[i + 1] = p[i] + q[i];
}

void f01_transposed_read(int n, float P[n][n], const float Q[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            P[i][j] = Q[j][i] + 1.0f;
}

void f01_ahead_by_one(int n, float *p, const float *q)
{
    for (int i = 0; i < n - 1; i++)
        p[i] = p[i + 1] + q[i];
}

void f01_lower_triangle(int n, float P[n][n], const float Q[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            P[i][j] = P[i][j] + Q[i][j];
}

void f01_division(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        p[i] = q[i] / (r[i] * r[i] + 1.0f);
}

/* F02: strided access, symbolic bounds, strides and offsets */
void f02_from_to(int n, int from, int to, float *p, const float *q)
{
    for (int i = from; i < to; i++)
        p[i] = p[i] + q[i];
}

void f02_symbolic_step(int n, int step, float *p, const float *q)
{
    for (int i = 0; i < n; i += step)
        p[i] = p[i] + q[i];
}

void f02_step_from(int n, int first, int step, float *p, const float *q)
{
    int k = 0;
    for (int i = first - 1; i < n; i += step) {
        k += 1;
        p[i] = p[i] + q[n - k];
    }
}

void f02_symbolic_offset(int n, int m, float *p, const float *q)
{
    for (int i = 0; i < n; i++)
        p[i] = p[i + m] + q[i];
}

void f02_offset_behind(int n, int k, float *p, const float *q)
{
    for (int i = 0; i < n - k; i++)
        p[i + k] = q[i] * 2.0f;
}

void f02_two_symbols(int m, int s, int h, float *p, const float *q)
{
    for (int i = 0; i < m; i++)
        p[s * i] = 2.0f * q[i] + q[s * i + h];
}

void f02_stride_of_both(int n, int incx, int incy, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i * incy] = x[i * incx] + 1.0f;
}

void f02_half(int n, float *p, const float *q)
{
    for (int i = 0; i < n / 2; i++)
        p[i] = p[i + n / 2] + q[i];
}

/* F03: linear dependence, negative step */
void f03_falling(int n, float *p, const float *q)
{
    for (int i = n - 2; i >= 0; i--)
        p[i + 1] = p[i] + q[i];
}

void f03_falling_by_two(int n, float *p, const float *q)
{
    for (int i = n - 1; i >= 2; i--)
        p[i] = q[i] * p[i - 2];
}

/* F04: a fixed element of the array that is written is read */
void f04_first(int n, float *p, const float *q)
{
    for (int i = 0; i < n; i++)
        p[i] = q[i] - p[0];
}

void f04_middle(int n, float *p, const float *q)
{
    for (int i = 0; i < n; i++)
        p[i] = p[n / 2] + q[i];
}

void f04_last(int n, float *p, const float *q)
{
    for (int i = 0; i < n; i++)
        p[i] = q[i] * p[n - 1] + 1.0f;
}

/* F05: transposed or triangular in-place update */
void f05_below_from_above(int n, float P[n][n], const float Q[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            P[i][j] = Q[i][j] * P[j][i] - 1.0f;
}

void f05_above_from_below(int n, float P[n][n], const float Q[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            P[i][j] = P[j][i] + Q[i][j];
}

void f05_symmetrise(int n, float P[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            P[j][i] = P[i][j];
}

/* F06: substitution */
void f06_dot(int n, float *p, const float *q, const float Q[n][n])
{
    for (int i = 0; i < n; i++) {
        float s = q[i];
        for (int j = 0; j < i; j++)
            s -= Q[i][j] * p[j];
        p[i] = 0.5f * s;
    }
}

void f06_saxpy(int n, float *p, const float Q[n][n])
{
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            p[i] -= Q[j][i] * p[j];
}

/* F07: induction variables */
void f07_secondary(int n, float *p, const float *q, const float *r)
{
    int k = 3;
    for (int i = 0; i < n; i++) {
        k += 2;
        p[i] = q[k] - r[i];
    }
}

void f07_both_branches(int n, float *p, const float *q, const float *r)
{
    int k = -1;
    for (int i = 0; i < n / 2; i++) {
        if (q[i] > 0.0f) {
            k++;
            p[k] = q[i] + r[i];
        } else {
            k++;
            p[k] = q[i] - r[i];
        }
    }
}

void f07_collapsed(int n, int m, float *p, const float Q[n][m])
{
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            p[k] = Q[i][j] * 3.0f;
            k++;
        }
}

void f07_pointer(int n, float *p, const float *q)
{
    float *to = p;
    const float *from = q;
    for (int i = 0; i < n; i++)
        *to++ = *from++ + 4.0f;
}

void f07_two_counters(int n, float *p, const float *q)
{
    int j = 0;
    int k = n;
    for (int i = 0; i < n; i++) {
        k--;
        p[j] = q[k];
        j++;
    }
}

void f07_step_twice(int n, float *p, const float *q, const float *r)
{
    int j = -1;
    for (int i = 0; i < n / 2; i++) {
        j++;
        p[j] = q[i] + r[i];
        j++;
        p[j] = q[i] - r[i];
    }
}

void f07_float_counter(int n, float *p, const float *q)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++) {
        s += 2.0f;
        p[i] = s * q[i];
    }
}

/* F08: constant propagation, calls */
static float multiply_and_add(float u, float v)
{
    return u * v + 1.0f;
}

static int next_of(int i)
{
    return i + 1;
}

static void put(float *p, int i, float value)
{
    p[i] = value;
}

void f08_constant_offset(int n, float *p, const float *q)
{
    int m = 2;
    for (int i = 0; i < n - 2; i++)
        p[i] = multiply_and_add(q[i], p[i + m]);
}

void f08_offset_by_call(int n, float *p, const float *q)
{
    for (int i = 0; i < n - 1; i++)
        p[i] = p[next_of(i)] + q[i];
}

void f08_store_by_call(int n, float *p, const float *q)
{
    for (int i = 0; i < n; i++)
        put(p, i, q[i] - 2.0f);
}

void f08_constant_branch(int n, float *p, const float *q)
{
    int kind = 1;
    for (int i = 0; i < n; i++) {
        if (kind == 1)
            p[i] = q[i] + 1.0f;
        else
            p[i] = p[i - 1];
    }
}

void f08_row_by_call(int n, float P[n][n], const float *q)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            put(P[i], j, q[j] * P[i][j]);
}

void f08_bound_from_variable(int n, float *p, const float *q)
{
    int half = n / 2;
    int last = half * 2;
    for (int i = 0; i < last; i++)
        p[i] = q[i] * q[i];
}

void f08_call_of_two(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        p[i] = multiply_and_add(multiply_and_add(q[i], r[i]), p[i]);
}

/* F09: packed triangle */
void f09_packed(int n, float *v, const float Q[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            int k = i * (i + 1) / 2 + j;
            v[k] = v[k] * Q[i][j];
        }
}

/* F10: convolution */
void f10_convolution(int n, int m, float *y, const float *x, const float *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i] += c[j] * x[i + j];
}

/* F11: statement reordering */
void f11_later_first(int n, float *p, const float *q, float *r, const float *w)
{
    for (int i = 2; i < n; i++) {
        p[i] = q[i] * r[i - 2];
        r[i] = w[i] - q[i];
    }
}

void f11_two_ways(int n, float *p, float *q, const float *r, const float *w)
{
    for (int i = 1; i < n - 1; i++) {
        p[i] = q[i - 1] + r[i] * w[i];
        q[i] = q[i + 1] - w[i] * r[i];
    }
}

void f11_outputs(int n, float *p, float *q, const float *r)
{
    for (int i = 1; i < n; i++) {
        p[i] = q[i - 1] + 2.0f;
        q[i] = r[i] * r[i];
    }
}

/* F12: node splitting */
void f12_save_old(int n, float *p, float *w, const float *q, const float *r)
{
    for (int i = 0; i < n - 2; i++) {
        p[i] = q[i] * r[i];
        w[i] = p[i] > p[i + 2] ? p[i] : p[i + 2];
    }
}

void f12_overwritten(int n, float *p, float *q, const float *r)
{
    for (int i = 0; i < n - 1; i++) {
        p[i] = r[i];
        p[i + 1] = q[i];
        q[i] = p[i];
    }
}

void f12_false_cycle(int n, float *p, float *q, const float *r)
{
    for (int i = 0; i < n - 1; i++) {
        p[i] = q[i] + r[i];
        q[i] = p[i] > 0.0f ? r[i + 1] : q[i] * 2.0f;
        p[i + 1] = q[i] + p[i + 1] * r[i];
    }
}

void f12_two_targets(int n, float *p, float *q, const float *r)
{
    for (int i = 0; i < n - 1; i++) {
        q[i] = p[i + 1] * r[i];
        p[i] = q[i] + r[i];
    }
}

void f12_ahead_and_behind(int n, float *p, float *w, const float *q)
{
    for (int i = 1; i < n - 1; i++) {
        w[i] = p[i - 1] + p[i + 1];
        p[i - 1] = q[i];
    }
}

void f12_swap(int n, float *p, float *q)
{
    for (int i = 0; i < n; i++) {
        float t = p[i];
        p[i] = q[i];
        q[i] = t;
    }
}
