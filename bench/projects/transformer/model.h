/* A small transformer in C: what its files share. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MODEL_MAGIC 0x54464d31 /* "TFM1" */
#define GROUP_SIZE 32          /* values that share one scale, when quantised */

typedef struct {
    int dim;        /* width of the residual stream */
    int hidden_dim; /* width inside of the feed-forward block */
    int n_layers;
    int n_heads;
    int n_kv_heads; /* may be smaller than n_heads: grouped queries */
    int vocab_size;
    int seq_len;
} Config;

typedef struct {
    float *token_embedding; /* (vocab_size, dim) */
    float *rms_att;         /* (layer, dim) */
    float *rms_ffn;         /* (layer, dim) */
    float *wq;              /* (layer, dim, n_heads * head_size) */
    float *wk;              /* (layer, kv_dim, dim) */
    float *wv;              /* (layer, kv_dim, dim) */
    float *wo;              /* (layer, dim, dim) */
    float *w1;              /* (layer, hidden_dim, dim) */
    float *w2;              /* (layer, dim, hidden_dim) */
    float *w3;              /* (layer, hidden_dim, dim) */
    float *rms_final;       /* (dim) */
    float *wcls;            /* (vocab_size, dim) */
} Weights;

typedef struct {
    float *x;
    float *xb;
    float *xb2;
    float *hb;
    float *hb2;
    float *q;
    float *k;
    float *v;
    float *att;         /* (n_heads, seq_len) */
    float *logits;
    float *key_cache;   /* (layer, seq_len, kv_dim) */
    float *value_cache; /* (layer, seq_len, kv_dim) */
} RunState;

typedef struct {
    Config config;
    Weights weights;
    RunState state;
    float *data;       /* the memory that the weights are in */
    ssize_t file_size; /* of a checkpoint that is mapped, else 0 */
    int fd;
} Transformer;

/* A tensor of bytes, with one scale for each group. */
typedef struct {
    int8_t *q;
    float *s;
} QuantizedTensor;

typedef struct {
    float prob;
    int index;
} ProbIndex;

typedef struct {
    int vocab_size;
    ProbIndex *probindex;
    float temperature;
    float topp;
    uint64_t rng_state;
} Sampler;

typedef struct {
    char *str;
    int id;
} TokenIndex;

typedef struct {
    char **vocab;
    float *vocab_scores;
    TokenIndex *sorted_vocab;
    int vocab_size;
    unsigned int max_token_length;
} Tokenizer;

/* ops.c */
void rmsnorm(float *o, const float *x, const float *weight, int size);
void softmax(float *x, int size);
void matmul(float *xout, const float *x, const float *w, int n, int d);
void accumulate(float *a, const float *b, int size);
void rope(float *q, float *k, int pos, int dim, int kv_dim, int head_size);
void swiglu(float *hb, const float *hb2, int hidden_dim);
int argmax(const float *v, int n);
float dot(const float *a, const float *b, int n);
void scale_vector(float *x, float s, int n);
void fill(float *x, float value, int n);
float max_abs(const float *x, int n);

/* quant.c */
int quant_alloc(QuantizedTensor *t, int n);
void quant_free(QuantizedTensor *t);
void quantize(QuantizedTensor *qx, const float *x, int n);
void dequantize(const QuantizedTensor *qx, float *x, int n);
void matmul_q8(float *xout, const QuantizedTensor *x, const QuantizedTensor *w, int n, int d);
double quant_error(const float *x, const float *y, int n);

/* checkpoint.c */
void map_weights(Weights *w, const Config *p, float *ptr);
size_t count_weights(const Config *p);
int checkpoint_write(const char *path, const Transformer *t);
int checkpoint_open(const char *path, Transformer *t);
void checkpoint_close(Transformer *t);
uint32_t checksum(const float *data, size_t n);

/* forward.c */
int state_alloc(RunState *s, const Config *p);
void state_free(RunState *s);
float *forward(Transformer *transformer, int token, int pos);
void prefill_attention(float *out, const float *q, const float *k, const float *v, int t_len, int head_size);

/* tokenizer.c */
int tokenizer_build(Tokenizer *t, int vocab_size);
void tokenizer_free(Tokenizer *t);
int encode(Tokenizer *t, const char *text, int *tokens, int max_tokens);
const char *decode(const Tokenizer *t, int token);

/* sampler.c */
int sampler_build(Sampler *s, int vocab_size, float temperature, float topp, uint64_t seed);
void sampler_free(Sampler *s);
int sample(Sampler *s, float *logits);
float random_f32(uint64_t *state);

/* layers.c */
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C);
void layernorm_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                        const float *weight, const float *mean, const float *rstd, int B, int T, int C);
void linear_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC);
void linear_backward(float *dinp, float *dweight, float *dbias, const float *dout, const float *inp,
                     const float *weight, int B, int T, int C, int OC);
void gelu_forward(float *out, const float *inp, int n);
void gelu_backward(float *dinp, const float *inp, const float *dout, int n);
void residual_forward(float *out, const float *inp1, const float *inp2, int n);
void residual_backward(float *dinp1, float *dinp2, const float *dout, int n);
void softmax_forward(float *probs, const float *logits, int B, int T, int V);
void crossentropy_forward(float *losses, const float *probs, const int *targets, int B, int T, int V);
void crossentropy_softmax_backward(float *dlogits, const float *dlosses, const float *probs, const int *targets,
                                   int B, int T, int V);
void encoder_forward(float *out, const int *inp, const float *wte, const float *wpe, int B, int T, int C);
void encoder_backward(float *dwte, float *dwpe, const float *dout, const int *inp, int B, int T, int C);
void attention_forward(float *out, float *preatt, float *att, const float *inp, int B, int T, int C, int NH);
void attention_backward(float *dinp, float *dpreatt, float *datt, const float *dout, const float *inp,
                        const float *att, int B, int T, int C, int NH);

/* train.c */
int train(int steps, uint64_t seed, float *first_loss, float *last_loss);

/* timing and errors, main.c */
double now(void);
void report_time(const char *part, double since);
void die(const char *fmt, ...);

#endif
