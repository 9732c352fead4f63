/* Operations on vectors of floats that the forward pass is made of. */
#include <math.h>

#include "model.h"

/* Root-mean-square normalisation with a learnt gain. */
void rmsnorm(float *o, const float *x, const float *weight, int size)
{
    /* calculate sum of squares */
    float ss = 0.0f;
    for (int j = 0; j < size; j++) {
        ss += x[j] * x[j];
    }
    ss /= size;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    /* normalize and scale */
    for (int j = 0; j < size; j++) {
        o[j] = weight[j] * (ss * x[j]);
    }
}

void softmax(float *x, int size)
{
    /* find max value (for numerical stability) */
    float max_val = x[0];
    for (int i = 1; i < size; i++) {
        if (x[i] > max_val) {
            max_val = x[i];
        }
    }
    /* exp and sum */
    float sum = 0.0f;
    for (int i = 0; i < size; i++) {
        x[i] = expf(x[i] - max_val);
        sum += x[i];
    }
    /* normalize */
    for (int i = 0; i < size; i++) {
        x[i] /= sum;
    }
}

/* W (d,n) @ x (n,) -> xout (d,): by far the most time is spent here. */
void matmul(float *xout, const float *x, const float *w, int n, int d)
{
    int i;
    #pragma omp parallel for private(i)
    for (i = 0; i < d; i++) {
        float val = 0.0f;
        for (int j = 0; j < n; j++) {
            val += w[i * n + j] * x[j];
        }
        xout[i] = val;
    }
}

/* Residual connection. */
void accumulate(float *a, const float *b, int size)
{
    for (int i = 0; i < size; i++) {
        a[i] += b[i];
    }
}

/* Rotary embeddings: pairs of q and k are rotated by an angle that grows with the position. */
void rope(float *q, float *k, int pos, int dim, int kv_dim, int head_size)
{
    for (int i = 0; i < dim; i += 2) {
        int head_dim = i % head_size;
        float freq = 1.0f / powf(10000.0f, head_dim / (float)head_size);
        float val = pos * freq;
        float fcr = cosf(val);
        float fci = sinf(val);
        int rotn = i < kv_dim ? 2 : 1; /* how many vectors? 2 = q & k, 1 = q only */
        for (int v = 0; v < rotn; v++) {
            float *vec = v == 0 ? q : k;
            float v0 = vec[i];
            float v1 = vec[i + 1];
            vec[i] = v0 * fcr - v1 * fci;
            vec[i + 1] = v0 * fci + v1 * fcr;
        }
    }
}

/* SwiGLU non-linearity. */
void swiglu(float *hb, const float *hb2, int hidden_dim)
{
    for (int i = 0; i < hidden_dim; i++) {
        float val = hb[i];
        /* silu(x) = x * sigmoid(x) */
        val *= (1.0f / (1.0f + expf(-val)));
        val *= hb2[i];
        hb[i] = val;
    }
}

int argmax(const float *v, int n)
{
    int max_i = 0;
    float max_p = v[0];
    for (int i = 1; i < n; i++) {
        if (v[i] > max_p) {
            max_i = i;
            max_p = v[i];
        }
    }
    return max_i;
}

float dot(const float *a, const float *b, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void scale_vector(float *x, float s, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= s;
}

void fill(float *x, float value, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = value;
}

float max_abs(const float *x, int n)
{
    float m = 0.0f;
    for (int i = 0; i < n; i++) {
        float a = fabsf(x[i]);
        if (a > m)
            m = a;
    }
    return m;
}
