/* Which token comes next: the likeliest, or one at random of all, or of the likeliest. */
#include <stdlib.h>

#include "model.h"

static uint32_t random_u32(uint64_t *state)
{
    /* xorshift rng */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (*state * 0x2545F4914F6CDD1Dull) >> 32;
}

/* A random float in [0,1). */
float random_f32(uint64_t *state)
{
    return (random_u32(state) >> 8) / 16777216.0f;
}

int sampler_build(Sampler *s, int vocab_size, float temperature, float topp, uint64_t seed)
{
    s->vocab_size = vocab_size;
    s->temperature = temperature;
    s->topp = topp;
    s->rng_state = seed;
    s->probindex = malloc(vocab_size * sizeof(ProbIndex));
    return s->probindex ? 0 : -1;
}

void sampler_free(Sampler *s)
{
    free(s->probindex);
}

/* Sample index from probabilities (they must sum to 1). */
static int sample_mult(const float *probabilities, int n, float coin)
{
    float cdf = 0.0f;
    for (int i = 0; i < n; i++) {
        cdf += probabilities[i];
        if (coin < cdf) {
            return i;
        }
    }
    return n - 1; /* in case of rounding errors */
}

static int compare(const void *a, const void *b)
{
    const ProbIndex *a_ = a;
    const ProbIndex *b_ = b;
    if (a_->prob > b_->prob)
        return -1;
    if (a_->prob < b_->prob)
        return 1;
    return a_->index - b_->index;
}

/* Top-p sampling: of the smallest set of tokens whose probability exceeds topp. */
static int sample_topp(const float *probabilities, int n, float topp, ProbIndex *probindex, float coin)
{
    int n0 = 0;
    /* values smaller than (1 - topp) / (n - 1) cannot be part of the result: leave them out before sorting */
    const float cutoff = (1.0f - topp) / (n - 1);
    for (int i = 0; i < n; i++) {
        if (probabilities[i] >= cutoff) {
            probindex[n0].index = i;
            probindex[n0].prob = probabilities[i];
            n0++;
        }
    }
    qsort(probindex, n0, sizeof(ProbIndex), compare);

    /* truncate the list where cumulative probability exceeds topp */
    float cumulative_prob = 0.0f;
    int last_idx = n0 - 1;
    for (int i = 0; i < n0; i++) {
        cumulative_prob += probindex[i].prob;
        if (cumulative_prob > topp) {
            last_idx = i;
            break;
        }
    }

    /* sample from the truncated list */
    float r = coin * cumulative_prob;
    float cdf = 0.0f;
    for (int i = 0; i <= last_idx; i++) {
        cdf += probindex[i].prob;
        if (r < cdf) {
            return probindex[i].index;
        }
    }
    return probindex[last_idx].index;
}

int sample(Sampler *s, float *logits)
{
    if (s->temperature == 0.0f) {
        return argmax(logits, s->vocab_size);
    }
    /* apply the temperature to the logits */
    for (int q = 0; q < s->vocab_size; q++) {
        logits[q] /= s->temperature;
    }
    softmax(logits, s->vocab_size);
    float coin = random_f32(&s->rng_state);
    if (s->topp <= 0 || s->topp >= 1) {
        return sample_mult(logits, s->vocab_size, coin);
    }
    return sample_topp(logits, s->vocab_size, s->topp, s->probindex, coin);
}
