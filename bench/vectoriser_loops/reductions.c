/* Reductions, running values, searches: families F25 to F32. */
#include <math.h>

/* F25: sum, dot, conditional sum */
float f25_sum(int n, const float *p)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

float f25_dot(int n, const float *p, const float *q)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        s += p[i] * q[i];
    return s;
}

float f25_conditional(int n, const float *p, const float *q)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        if (q[i] > 0.0f)
            s += p[i] * p[i];
    return s;
}

float f25_partial(int n, const float *p)
{
    float s = 0.0f;
    for (int i = 0; i < n / 2; i++)
        s += p[i] + p[i + n / 2];
    return s;
}

float f25_matrix(int n, const float P[n][n])
{
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s += P[i][j];
    return s;
}

void f25_two_sums(int n, const float *p, const float *q, float *sum, float *dot)
{
    float s = 0.0f;
    float d = 0.0f;
    for (int i = 0; i < n; i++) {
        s += p[i];
        d += p[i] * q[i];
    }
    *sum = s;
    *dot = d;
}

float f25_by_index(int n, const float *p)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        s += p[i] * (float)i;
    return s;
}

/* F26: product, power */
float f26_product(int n, const float *p)
{
    float s = 1.0f;
    for (int i = 0; i < n; i++)
        s *= 1.0f + p[i];
    return s;
}

float f26_power(int n)
{
    float s = 1.0f;
    for (int i = 0; i < n; i++)
        s *= 0.99f;
    return s;
}

/* F27: max, min by value */
float f27_max(int n, const float *p)
{
    float m = p[0];
    for (int i = 0; i < n; i++)
        if (p[i] > m)
            m = p[i];
    return m;
}

float f27_min_of_distance(int n, const float *p, const float *q)
{
    float m = fabsf(p[0] - q[0]);
    for (int i = 1; i < n; i++) {
        float d = fabsf(p[i] - q[i]);
        m = d < m ? d : m;
    }
    return m;
}

float f27_matrix_max(int n, const float P[n][n])
{
    float m = P[0][0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (P[i][j] > m)
                m = P[i][j];
    return m;
}

/* F28: argmax with value */
float f28_max_and_place(int n, const float *p, int *place)
{
    float m = p[0];
    int k = 0;
    for (int i = 0; i < n; i++)
        if (p[i] > m) {
            m = p[i];
            k = i;
        }
    *place = k;
    return m + (float)k;
}

float f28_strided(int n, int inc, const float *p)
{
    int k = 0;
    int at = 0;
    float m = fabsf(p[0]);
    k += inc;
    for (int i = 1; i < n; i++) {
        if (fabsf(p[k]) > m) {
            at = i;
            m = fabsf(p[k]);
        }
        k += inc;
    }
    return m + (float)at + 1.0f;
}

float f28_matrix(int n, const float P[n][n], int *row, int *column)
{
    float m = P[0][0];
    int x = 0;
    int y = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (P[i][j] > m) {
                m = P[i][j];
                x = i;
                y = j;
            }
    *row = x;
    *column = y;
    return m;
}

int f28_last_least(int n, const float *p, const float *q)
{
    float m = p[0] * q[0];
    int k = 0;
    for (int i = 1; i < n; i++)
        if (p[i] * q[i] <= m) {
            m = p[i] * q[i];
            k = i;
        }
    return k;
}

/* F29: running sums and recurrences with constant coefficients */
void f29_running_half(int n, float *r, const float *p, const float *q)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++) {
        s = s + p[i] * q[i];
        r[i] = s / 2.0f;
    }
}

void f29_in_place(int n, float *p, const float *q)
{
    for (int i = 1; i < n; i++)
        p[i] = p[i - 1] + q[i];
}

void f29_at_distance(int n, float *p, const float *q)
{
    for (int i = 4; i < n; i++)
        p[i] = p[i - 4] + q[i];
}

void f29_coupled(int n, float *p, float *q, const float *r)
{
    for (int i = 1; i < n; i++) {
        p[i] = q[i - 1] + r[i];
        q[i] = p[i] + r[i];
    }
}

/* F30: variable coefficients */
void f30_first_order(int n, float *p, const float *q, const float *r)
{
    for (int i = 1; i < n; i++)
        p[i] = q[i] * p[i - 1] + r[i];
}

void f30_second_order(int n, float *p, const float *q, const float *r)
{
    for (int i = 2; i < n; i++)
        p[i] = p[i - 1] * q[i] + p[i - 2] * r[i];
}

/* F31: searches */
int f31_first(int n, const float *p, const float *q, float t)
{
    int k = -1;
    for (int i = 0; i < n; i++)
        if (p[i] * q[i] > t) {
            k = i;
            break;
        }
    return k;
}

int f31_last(int n, const float *p, float t)
{
    int k = -1;
    for (int i = 0; i < n; i++)
        if (p[i] > t)
            k = i;
    return k;
}

/* F32: exit in the middle */
void f32_after(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++) {
        p[i] = p[i] - q[i];
        if (r[i] == 0.0f)
            break;
    }
}

void f32_before(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++) {
        if (r[i] < 0.0f)
            return;
        p[i] = p[i] + q[i] * r[i];
    }
}
