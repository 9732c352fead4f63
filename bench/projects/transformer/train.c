/* Training of a network with one block: embeddings, attention, a feed-forward part, and AdamW. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { BATCH = 4, TIME = 48, CHANNELS = 64, HEADS = 4, VOCAB = 160, HIDDEN = 4 * CHANNELS };

#define NUM_PARAMETERS 14
#define NUM_ACTIVATIONS 17

/* The parameters of the network, and their gradients. */
typedef struct {
    float *wte;      /* (V, C) */
    float *wpe;      /* (T, C) */
    float *ln1w;     /* (C) */
    float *ln1b;     /* (C) */
    float *qkvw;     /* (3*C, C) */
    float *qkvb;     /* (3*C) */
    float *attprojw; /* (C, C) */
    float *attprojb; /* (C) */
    float *ln2w;     /* (C) */
    float *ln2b;     /* (C) */
    float *fcw;      /* (4*C, C) */
    float *fcb;      /* (4*C) */
    float *fcprojw;  /* (C, 4*C) */
    float *fcprojb;  /* (C) */
} Parameters;

typedef struct {
    float *encoded;
    float *ln1;
    float *ln1_mean;
    float *ln1_rstd;
    float *qkv;
    float *atty;
    float *preatt;
    float *att;
    float *attproj;
    float *residual2;
    float *ln2;
    float *ln2_mean;
    float *ln2_rstd;
    float *fch;
    float *fch_gelu;
    float *fcproj;
    float *residual3;
} Activations;

typedef struct {
    Parameters params;
    Parameters grads;
    size_t param_sizes[NUM_PARAMETERS];
    size_t num_parameters;
    float *params_memory;
    float *grads_memory;
    float *m_memory;
    float *v_memory;
    Activations acts;
    Activations grads_acts;
    size_t act_sizes[NUM_ACTIVATIONS];
    size_t num_activations;
    float *acts_memory;
    float *grads_acts_memory;
    float *logits;
    float *dlogits;
    float *probs;
    float *losses;
    float *dlosses;
    int *inputs;
    int *targets;
    float mean_loss;
} Model;

static void fill_in_parameter_sizes(size_t *sizes)
{
    size_t C = CHANNELS;
    sizes[0] = VOCAB * C;
    sizes[1] = TIME * C;
    sizes[2] = C;
    sizes[3] = C;
    sizes[4] = 3 * C * C;
    sizes[5] = 3 * C;
    sizes[6] = C * C;
    sizes[7] = C;
    sizes[8] = C;
    sizes[9] = C;
    sizes[10] = 4 * C * C;
    sizes[11] = 4 * C;
    sizes[12] = C * 4 * C;
    sizes[13] = C;
}

static void fill_in_activation_sizes(size_t *sizes)
{
    size_t BT = BATCH * TIME, C = CHANNELS;
    sizes[0] = BT * C;
    sizes[1] = BT * C;
    sizes[2] = BT;
    sizes[3] = BT;
    sizes[4] = BT * 3 * C;
    sizes[5] = BT * C;
    sizes[6] = BT * HEADS * TIME;
    sizes[7] = BT * HEADS * TIME;
    sizes[8] = BT * C;
    sizes[9] = BT * C;
    sizes[10] = BT * C;
    sizes[11] = BT;
    sizes[12] = BT;
    sizes[13] = BT * HIDDEN;
    sizes[14] = BT * HIDDEN;
    sizes[15] = BT * C;
    sizes[16] = BT * C;
}

static size_t total(const size_t *sizes, int n)
{
    size_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += sizes[i];
    return sum;
}

static void point_parameters(Parameters *p, const size_t *sizes, float *memory)
{
    float **pointers[NUM_PARAMETERS] = {
        &p->wte,      &p->wpe,  &p->ln1w, &p->ln1b, &p->qkvw, &p->qkvb,    &p->attprojw,
        &p->attprojb, &p->ln2w, &p->ln2b, &p->fcw,  &p->fcb,  &p->fcprojw, &p->fcprojb,
    };
    for (int i = 0; i < NUM_PARAMETERS; i++) {
        *pointers[i] = memory;
        memory += sizes[i];
    }
}

static void point_activations(Activations *a, const size_t *sizes, float *memory)
{
    float **pointers[NUM_ACTIVATIONS] = {
        &a->encoded, &a->ln1, &a->ln1_mean, &a->ln1_rstd, &a->qkv, &a->atty,     &a->preatt, &a->att,      &a->attproj,
        &a->residual2, &a->ln2, &a->ln2_mean, &a->ln2_rstd, &a->fch, &a->fch_gelu, &a->fcproj, &a->residual3,
    };
    for (int i = 0; i < NUM_ACTIVATIONS; i++) {
        *pointers[i] = memory;
        memory += sizes[i];
    }
}

static void *must_calloc(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (p == NULL)
        die("no memory for %zu bytes", n * size);
    return p;
}

static void init_weights(float *w, size_t n, float scale, uint64_t *rng)
{
    for (size_t i = 0; i < n; i++)
        w[i] = (random_f32(rng) - 0.5f) * scale;
}

static void model_build(Model *m, uint64_t seed)
{
    size_t BT = BATCH * TIME;
    uint64_t rng = seed;

    memset(m, 0, sizeof *m);
    fill_in_parameter_sizes(m->param_sizes);
    fill_in_activation_sizes(m->act_sizes);
    m->num_parameters = total(m->param_sizes, NUM_PARAMETERS);
    m->num_activations = total(m->act_sizes, NUM_ACTIVATIONS);
    m->params_memory = must_calloc(m->num_parameters, sizeof(float));
    m->grads_memory = must_calloc(m->num_parameters, sizeof(float));
    m->m_memory = must_calloc(m->num_parameters, sizeof(float));
    m->v_memory = must_calloc(m->num_parameters, sizeof(float));
    m->acts_memory = must_calloc(m->num_activations, sizeof(float));
    m->grads_acts_memory = must_calloc(m->num_activations, sizeof(float));
    point_parameters(&m->params, m->param_sizes, m->params_memory);
    point_parameters(&m->grads, m->param_sizes, m->grads_memory);
    point_activations(&m->acts, m->act_sizes, m->acts_memory);
    point_activations(&m->grads_acts, m->act_sizes, m->grads_acts_memory);
    m->logits = must_calloc(BT * VOCAB, sizeof(float));
    m->dlogits = must_calloc(BT * VOCAB, sizeof(float));
    m->probs = must_calloc(BT * VOCAB, sizeof(float));
    m->losses = must_calloc(BT, sizeof(float));
    m->dlosses = must_calloc(BT, sizeof(float));
    m->inputs = must_calloc(BT, sizeof(int));
    m->targets = must_calloc(BT, sizeof(int));

    init_weights(m->params_memory, m->num_parameters, 0.1f, &rng);
    fill(m->params.ln1w, 1.0f, CHANNELS);
    fill(m->params.ln2w, 1.0f, CHANNELS);
}

static void model_free(Model *m)
{
    free(m->params_memory);
    free(m->grads_memory);
    free(m->m_memory);
    free(m->v_memory);
    free(m->acts_memory);
    free(m->grads_acts_memory);
    free(m->logits);
    free(m->dlogits);
    free(m->probs);
    free(m->losses);
    free(m->dlosses);
    free(m->inputs);
    free(m->targets);
}

static void model_forward(Model *m)
{
    Parameters params = m->params;
    Activations acts = m->acts;
    int B = BATCH, T = TIME, C = CHANNELS, V = VOCAB;

    encoder_forward(acts.encoded, m->inputs, params.wte, params.wpe, B, T, C);
    layernorm_forward(acts.ln1, acts.ln1_mean, acts.ln1_rstd, acts.encoded, params.ln1w, params.ln1b, B, T, C);
    linear_forward(acts.qkv, acts.ln1, params.qkvw, params.qkvb, B, T, C, 3 * C);
    attention_forward(acts.atty, acts.preatt, acts.att, acts.qkv, B, T, C, HEADS);
    linear_forward(acts.attproj, acts.atty, params.attprojw, params.attprojb, B, T, C, C);
    residual_forward(acts.residual2, acts.encoded, acts.attproj, B * T * C);
    layernorm_forward(acts.ln2, acts.ln2_mean, acts.ln2_rstd, acts.residual2, params.ln2w, params.ln2b, B, T, C);
    linear_forward(acts.fch, acts.ln2, params.fcw, params.fcb, B, T, C, HIDDEN);
    gelu_forward(acts.fch_gelu, acts.fch, B * T * HIDDEN);
    linear_forward(acts.fcproj, acts.fch_gelu, params.fcprojw, params.fcprojb, B, T, HIDDEN, C);
    residual_forward(acts.residual3, acts.residual2, acts.fcproj, B * T * C);
    linear_forward(m->logits, acts.residual3, params.wte, NULL, B, T, C, V);
    softmax_forward(m->probs, m->logits, B, T, V);
    crossentropy_forward(m->losses, m->probs, m->targets, B, T, V);

    /* for convenience also evaluate the mean loss */
    float mean_loss = 0.0f;
    for (int i = 0; i < B * T; i++) {
        mean_loss += m->losses[i];
    }
    mean_loss /= B * T;
    m->mean_loss = mean_loss;
}

static void model_zero_grad(Model *m)
{
    memset(m->grads_memory, 0, m->num_parameters * sizeof(float));
    memset(m->grads_acts_memory, 0, m->num_activations * sizeof(float));
    memset(m->dlogits, 0, BATCH * TIME * VOCAB * sizeof(float));
}

static void model_backward(Model *m)
{
    Parameters params = m->params, grads = m->grads;
    Activations acts = m->acts, dacts = m->grads_acts;
    int B = BATCH, T = TIME, C = CHANNELS, V = VOCAB;
    float dloss_mean = 1.0f / (B * T);

    for (int i = 0; i < B * T; i++) {
        m->dlosses[i] = dloss_mean;
    }
    crossentropy_softmax_backward(m->dlogits, m->dlosses, m->probs, m->targets, B, T, V);
    linear_backward(dacts.residual3, grads.wte, NULL, m->dlogits, acts.residual3, params.wte, B, T, C, V);
    residual_backward(dacts.residual2, dacts.fcproj, dacts.residual3, B * T * C);
    linear_backward(dacts.fch_gelu, grads.fcprojw, grads.fcprojb, dacts.fcproj, acts.fch_gelu, params.fcprojw, B, T,
                    HIDDEN, C);
    gelu_backward(dacts.fch, acts.fch, dacts.fch_gelu, B * T * HIDDEN);
    linear_backward(dacts.ln2, grads.fcw, grads.fcb, dacts.fch, acts.ln2, params.fcw, B, T, C, HIDDEN);
    layernorm_backward(dacts.residual2, grads.ln2w, grads.ln2b, dacts.ln2, acts.residual2, params.ln2w, acts.ln2_mean,
                       acts.ln2_rstd, B, T, C);
    residual_backward(dacts.encoded, dacts.attproj, dacts.residual2, B * T * C);
    linear_backward(dacts.atty, grads.attprojw, grads.attprojb, dacts.attproj, acts.atty, params.attprojw, B, T, C, C);
    attention_backward(dacts.qkv, dacts.preatt, dacts.att, dacts.atty, acts.qkv, acts.att, B, T, C, HEADS);
    linear_backward(dacts.ln1, grads.qkvw, grads.qkvb, dacts.qkv, acts.ln1, params.qkvw, B, T, C, 3 * C);
    layernorm_backward(dacts.encoded, grads.ln1w, grads.ln1b, dacts.ln1, acts.encoded, params.ln1w, acts.ln1_mean,
                       acts.ln1_rstd, B, T, C);
    encoder_backward(grads.wte, grads.wpe, dacts.encoded, m->inputs, B, T, C);
}

/* Global norm of the gradients, to clip them. */
static float grad_norm(const float *grads, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)grads[i] * grads[i];
    }
    return (float)sqrt(sum);
}

static void model_update(Model *m, float learning_rate, float beta1, float beta2, float eps, float weight_decay, int t)
{
    float norm = grad_norm(m->grads_memory, m->num_parameters);
    if (norm > 1.0f) {
        scale_vector(m->grads_memory, 1.0f / norm, (int)m->num_parameters);
    }
    for (size_t i = 0; i < m->num_parameters; i++) {
        float param = m->params_memory[i];
        float grad = m->grads_memory[i];

        /* update the first moment (momentum) */
        float mom = beta1 * m->m_memory[i] + (1.0f - beta1) * grad;
        /* update the second moment (RMSprop) */
        float v = beta2 * m->v_memory[i] + (1.0f - beta2) * grad * grad;
        /* bias-correct both moments */
        float m_hat = mom / (1.0f - powf(beta1, t));
        float v_hat = v / (1.0f - powf(beta2, t));

        /* update */
        m->m_memory[i] = mom;
        m->v_memory[i] = v;
        m->params_memory[i] -= learning_rate * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * param);
    }
}

/* Batches of a text that repeats itself with variations. */
static void next_batch(Model *m, uint64_t *rng)
{
    for (int b = 0; b < BATCH; b++) {
        int start = (int)(random_f32(rng) * 100);
        for (int t = 0; t < TIME; t++) {
            int token = (start + 7 * t + (t * t) % 11) % VOCAB;
            m->inputs[b * TIME + t] = token;
            m->targets[b * TIME + t] = (start + 7 * (t + 1) + ((t + 1) * (t + 1)) % 11) % VOCAB;
        }
    }
}

int train(int steps, uint64_t seed, float *first_loss, float *last_loss)
{
    static Model model;
    uint64_t rng = seed ^ 0x9E3779B97F4A7C15ull;

    model_build(&model, seed);
    for (int step = 0; step < steps; step++) {
        double start = now();
        next_batch(&model, &rng);
        model_forward(&model);
        report_time("train forward", start);
        start = now();
        model_zero_grad(&model);
        model_backward(&model);
        report_time("train backward", start);
        start = now();
        model_update(&model, 3e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, step + 1);
        report_time("train update", start);
        if (step == 0)
            *first_loss = model.mean_loss;
        *last_loss = model.mean_loss;
    }
    model_free(&model);
    return 0;
}
