/* One token through the network. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

int state_alloc(RunState *s, const Config *p)
{
    size_t kv_dim = (size_t)p->dim * p->n_kv_heads / p->n_heads;

    s->x = calloc(p->dim, sizeof(float));
    s->xb = calloc(p->dim, sizeof(float));
    s->xb2 = calloc(p->dim, sizeof(float));
    s->hb = calloc(p->hidden_dim, sizeof(float));
    s->hb2 = calloc(p->hidden_dim, sizeof(float));
    s->q = calloc(p->dim, sizeof(float));
    s->k = NULL; /* point into the caches */
    s->v = NULL;
    s->key_cache = calloc(p->n_layers * p->seq_len * kv_dim, sizeof(float));
    s->value_cache = calloc(p->n_layers * p->seq_len * kv_dim, sizeof(float));
    s->att = calloc((size_t)p->n_heads * p->seq_len, sizeof(float));
    s->logits = calloc(p->vocab_size, sizeof(float));
    if (!s->x || !s->xb || !s->xb2 || !s->hb || !s->hb2 || !s->q || !s->key_cache || !s->value_cache || !s->att
        || !s->logits) {
        fprintf(stderr, "malloc failed!\n");
        return -1;
    }
    return 0;
}

void state_free(RunState *s)
{
    free(s->x);
    free(s->xb);
    free(s->xb2);
    free(s->hb);
    free(s->hb2);
    free(s->q);
    free(s->att);
    free(s->logits);
    free(s->key_cache);
    free(s->value_cache);
}

/* Attention of one position to all before it, all heads. */
static void attend(RunState *s, const Config *p, int layer, int pos)
{
    int head_size = p->dim / p->n_heads;
    int kv_dim = (p->dim * p->n_kv_heads) / p->n_heads;
    int kv_mul = p->n_heads / p->n_kv_heads;
    size_t loff = (size_t)layer * p->seq_len * kv_dim;
    int h;

    #pragma omp parallel for private(h)
    for (h = 0; h < p->n_heads; h++) {
        /* get the query vector for this head */
        float *q = s->q + h * head_size;
        /* attention scores for this head */
        float *att = s->att + h * p->seq_len;
        /* iterate over all timesteps, including the current one */
        for (int t = 0; t <= pos; t++) {
            /* get the key vector for this head and at this timestep */
            float *k = s->key_cache + loff + t * kv_dim + (h / kv_mul) * head_size;
            float score = 0.0f;
            for (int i = 0; i < head_size; i++) {
                score += q[i] * k[i];
            }
            score /= sqrtf(head_size);
            att[t] = score;
        }

        /* softmax the scores to get attention weights, from 0..pos inclusively */
        softmax(att, pos + 1);

        /* weighted sum of the values, store back into xb */
        float *xb = s->xb + h * head_size;
        memset(xb, 0, head_size * sizeof(float));
        for (int t = 0; t <= pos; t++) {
            float *v = s->value_cache + loff + t * kv_dim + (h / kv_mul) * head_size;
            float a = att[t];
            for (int i = 0; i < head_size; i++) {
                xb[i] += a * v[i];
            }
        }
    }
}

float *forward(Transformer *transformer, int token, int pos)
{
    /* a few convenience variables */
    Config *p = &transformer->config;
    Weights *w = &transformer->weights;
    RunState *s = &transformer->state;
    float *x = s->x;
    int dim = p->dim;
    int kv_dim = (p->dim * p->n_kv_heads) / p->n_heads;
    int hidden_dim = p->hidden_dim;
    int head_size = dim / p->n_heads;

    /* copy the token embedding into x */
    float *content_row = w->token_embedding + (size_t)token * dim;
    memcpy(x, content_row, dim * sizeof(*x));

    /* forward all the layers */
    for (size_t l = 0; l < (size_t)p->n_layers; l++) {
        rmsnorm(s->xb, x, w->rms_att + l * dim, dim);

        /* key and value point to the kv cache */
        size_t loff = l * p->seq_len * kv_dim;
        s->k = s->key_cache + loff + (size_t)pos * kv_dim;
        s->v = s->value_cache + loff + (size_t)pos * kv_dim;

        matmul(s->q, s->xb, w->wq + l * dim * dim, dim, dim);
        matmul(s->k, s->xb, w->wk + l * dim * kv_dim, dim, kv_dim);
        matmul(s->v, s->xb, w->wv + l * dim * kv_dim, dim, kv_dim);

        rope(s->q, s->k, pos, dim, kv_dim, head_size);
        attend(s, p, (int)l, pos);

        /* final matmul to get the output of the attention, and residual connection back into x */
        matmul(s->xb2, s->xb, w->wo + l * dim * dim, dim, dim);
        accumulate(x, s->xb2, dim);

        /* w2(F.silu(w1(x)) * w3(x)) */
        rmsnorm(s->xb, x, w->rms_ffn + l * dim, dim);
        matmul(s->hb, s->xb, w->w1 + l * dim * hidden_dim, dim, hidden_dim);
        matmul(s->hb2, s->xb, w->w3 + l * dim * hidden_dim, dim, hidden_dim);
        swiglu(s->hb, s->hb2, hidden_dim);
        matmul(s->xb, s->hb, w->w2 + l * dim * hidden_dim, hidden_dim, dim);
        accumulate(x, s->xb, dim);
    }

    rmsnorm(x, x, w->rms_final, dim);

    /* classifier into logits */
    matmul(s->logits, x, w->wcls, p->dim, p->vocab_size);
    return s->logits;
}

/* A whole prompt at once, for one head: out = softmax(mask(q k^T / sqrt(head_size))) v. */
void prefill_attention(float *out, const float *q, const float *k, const float *v, int t_len, int head_size)
{
    float *scores = malloc(t_len * sizeof(float));
    float scale = 1.0f / sqrtf(head_size);

    if (!scores)
        die("no memory for %d scores", t_len);
    for (int t = 0; t < t_len; t++) {
        for (int u = 0; u <= t; u++) {
            float val = 0.0f;
            for (int i = 0; i < head_size; i++)
                val += q[t * head_size + i] * k[u * head_size + i];
            scores[u] = val * scale;
        }
        softmax(scores, t + 1);
        for (int i = 0; i < head_size; i++)
            out[t * head_size + i] = 0.0f;
        for (int u = 0; u <= t; u++)
            for (int i = 0; i < head_size; i++)
                out[t * head_size + i] += scores[u] * v[u * head_size + i];
    }
    free(scores);
}
