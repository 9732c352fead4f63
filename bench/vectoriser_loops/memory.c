/* Packing, rerolling, two names of one array, intrinsics, indirect addressing: families F33 to F38. */
#include <math.h>

/* F33: packing, compaction, unpacking */
int f33_pack(int n, float *w, const float *p, const float *q)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (p[i] < q[i]) {
            w[k] = 2.0f * p[i];
            k++;
        }
    return k;
}

void f33_pack_from_minus_one(int n, float *w, const float *p)
{
    int k = -1;
    for (int i = 0; i < n; i++)
        if (p[i] > 0.0f) {
            k++;
            w[k] = p[i];
        }
}

void f33_unpack(int n, float *p, const float *w)
{
    int k = -1;
    for (int i = 0; i < n; i++)
        if (p[i] > 0.0f) {
            k++;
            p[i] = w[k];
        }
}

int f33_second_push(int n, float *w, const float *p, const float *q)
{
    int k = -1;
    for (int i = 0; i < n; i++) {
        k++;
        w[k] = p[i] + 1.0f;
        if (q[i] > 0.0f) {
            k++;
            w[k] = q[i] * 2.0f;
        }
    }
    return k + 1;
}

/* F34: loop rerolling */
void f34_by_three(int n, float *p, const float *q, float c)
{
    for (int i = 0; i + 2 < n; i += 3) {
        p[i] = c * p[i] - q[i];
        p[i + 1] = c * p[i + 1] - q[i + 1];
        p[i + 2] = c * p[i + 2] - q[i + 2];
    }
}

float f34_dot(int n, const float *p, const float *q)
{
    float s = 0.0f;
    for (int i = 0; i < n; i += 5)
        s = s + p[i] * q[i] + p[i + 1] * q[i + 1] + p[i + 2] * q[i + 2] + p[i + 3] * q[i + 3] + p[i + 4] * q[i + 4];
    return s;
}

void f34_gather(int n, float *p, const float *q, const int *at, float c)
{
    for (int i = 0; i + 1 < n; i += 2) {
        p[i] = p[i] + c * q[at[i]];
        p[i + 1] = p[i + 1] + c * q[at[i + 1]];
    }
}

void f34_read_ahead(int n, float *p)
{
    for (int i = 0; i < n - 2; i += 2) {
        p[i] = p[i + 1] * p[i];
        p[i + 1] = p[i + 2] * p[i + 1];
    }
}

/* F35: two names of one array */
void f35_ahead(int n, float *u, const float *q)
{
    float *v = u + 1;
    for (int i = 0; i < n - 1; i++)
        u[i] = v[i] + q[i];
}

void f35_behind(int n, float *u, const float *q)
{
    float *v = u + 3;
    for (int i = 0; i < n - 3; i++)
        v[i] = u[i] * q[i];
}

void f35_one_behind(int n, float *u, const float *q)
{
    float *v = u + 1;
    for (int i = 0; i < n - 1; i++)
        v[i] = u[i] + q[i];
}

void f35_same(int n, float *u, const float *q)
{
    float *v = u;
    for (int i = 0; i < n; i++)
        v[i] = u[i] - q[i];
}

void f35_flat_and_matrix(int n, float *u, const float *q)
{
    float(*M)[4] = (float(*)[4])u;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            M[i][j] = u[4 * i + j] * q[i];
}

/* F36: intrinsics, the index as a value */
void f36_exponential(int n, float *p, const float *q)
{
    for (int i = 0; i < n; i++)
        p[i] = expf(-q[i]) * (float)(2 * i + 1);
}

void f36_trigonometry(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        p[i] = sinf(q[i]) + cosf(r[i]);
}

void f36_square_root(int n, float *p, const float *q)
{
    for (int i = 0; i < n; i++)
        p[i] = sqrtf(fabsf(q[i])) + (float)i;
}

/* F37: gather, sparse dot, index arithmetic */
void f37_gather(int n, float *p, const float *q, const int *at)
{
    for (int i = 0; i < n; i++)
        p[i] = p[i] + q[at[i]];
}

float f37_sparse_dot(int n, const float *p, const float *q, const int *at)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++)
        s += p[i] * q[at[i]];
    return s;
}

void f37_offset_gather(int n, float *p, const float *q, const int *at)
{
    for (int i = 0; i < n; i++)
        p[i] = q[at[i] + 1] * 2.0f;
}

void f37_third(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        p[i] = q[i] * r[i / 3];
}

void f37_half(int n, float *p, const float *q, const float *r)
{
    for (int i = 0; i < n; i++)
        p[i] = q[i] + r[i / 2] * q[i];
}

void f37_rows(int n, int m, float P[n][m], const float Q[n][m], const int *row)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            P[i][j] = Q[row[i]][j];
}

/* F38: scatter */
void f38_store(int n, float *p, const float *q, const int *at)
{
    for (int i = 0; i < n; i++)
        p[at[i]] = q[i] * 2.0f;
}

void f38_add(int n, float *p, const float *q, const int *at)
{
    for (int i = 0; i < n; i++)
        p[at[i]] = p[at[i]] + q[i];
}

void f38_gather_and_store(int n, float *p, const float *q, const float *r, const int *at)
{
    for (int i = 0; i < n; i++)
        p[at[i]] = q[i] - r[at[i]];
}
