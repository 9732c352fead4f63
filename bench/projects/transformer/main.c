/* Runs all of the engine: makes a model, writes and maps it, generates text, quantises, trains. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model.h"

#define MAX_PARTS 16

static struct {
    char name[32];
    double seconds;
} parts[MAX_PARTS];
static int n_parts;
static pthread_mutex_t parts_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signum)
{
    (void)signum;
    interrupted = 1;
}

void die(const char *fmt, ...)
{
    va_list args;

    fprintf(stderr, "error: ");
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* Add the time since a moment to a part of the program. */
void report_time(const char *part, double since)
{
    double seconds = now() - since;
    int i;

    pthread_mutex_lock(&parts_lock);
    for (i = 0; i < n_parts; i++)
        if (strcmp(parts[i].name, part) == 0)
            break;
    if (i == MAX_PARTS)
        die("too many parts");
    if (i == n_parts) {
        snprintf(parts[i].name, sizeof parts[i].name, "%s", part);
        n_parts++;
    }
    parts[i].seconds += seconds;
    pthread_mutex_unlock(&parts_lock);
}

static void print_times(void)
{
    for (int i = 0; i < n_parts; i++)
        fprintf(stderr, "time: %s %.6f\n", parts[i].name, parts[i].seconds);
}

static void usage(const char *name)
{
    fprintf(stderr, "usage: %s [-t temperature] [-p topp] [-s seed] [-n tokens] [-e training steps]\n", name);
    exit(EXIT_FAILURE);
}

/* Weights at random: the text that comes out has no meaning, but takes as long. */
static void make_model(Transformer *t, uint64_t seed)
{
    uint64_t rng = seed;
    size_t n;

    t->config = (Config){
        .dim = 288, .hidden_dim = 768, .n_layers = 4, .n_heads = 6, .n_kv_heads = 3, .vocab_size = 2048, .seq_len = 256,
    };
    n = count_weights(&t->config);
    t->data = malloc(n * sizeof(float));
    if (!t->data)
        die("no memory for %zu weights", n);
    for (size_t i = 0; i < n; i++)
        t->data[i] = (random_f32(&rng) - 0.5f) * 0.2f;
    map_weights(&t->weights, &t->config, t->data);
    for (int i = 0; i < t->config.n_layers * t->config.dim; i++) {
        t->weights.rms_att[i] = 1.0f + 0.01f * (i % 7);
        t->weights.rms_ffn[i] = 1.0f - 0.01f * (i % 5);
    }
    fill(t->weights.rms_final, 1.0f, t->config.dim);
    t->fd = -1;
    t->file_size = 0;
}

static void generate(Transformer *t, Tokenizer *tokenizer, Sampler *sampler, const char *prompt, int steps)
{
    int tokens[64];
    int n = encode(tokenizer, prompt, tokens, 64);
    int token = tokens[0];
    double start = now();

    printf("%d tokens:", n);
    for (int i = 0; i < n; i++)
        printf(" %d", tokens[i]);
    printf("\n");
    for (int pos = 0; pos < steps && !interrupted; pos++) {
        float *logits = forward(t, token, pos);
        int next = pos < n - 1 ? tokens[pos + 1] : sample(sampler, logits);
        printf("%s", decode(tokenizer, next));
        token = next;
    }
    printf("\n");
    report_time("generate", start);
}

/* The classifier in 8 bits beside the one in floats. */
static void check_quantised(Transformer *t)
{
    const Config *p = &t->config;
    int n = p->dim, d = p->vocab_size;
    QuantizedTensor w, x;
    float *exact = malloc(d * sizeof(float));
    float *rough = malloc(d * sizeof(float));
    float *back = malloc((size_t)n * d * sizeof(float));
    double start;

    if (!exact || !rough || !back || quant_alloc(&w, n * d) || quant_alloc(&x, n))
        die("no memory: %s", strerror(errno));
    start = now();
    quantize(&w, t->weights.wcls, n * d);
    dequantize(&w, back, n * d);
    report_time("quantise", start);
    start = now();
    for (int i = 0; i < 200; i++) {
        quantize(&x, t->weights.wcls + i * n, n);
        matmul_q8(rough, &x, &w, n, d);
    }
    report_time("matmul in 8 bits", start);
    matmul(exact, t->weights.wcls + 199 * n, t->weights.wcls, n, d);
    printf("quantised: weights differ by %.5f of %.3f, products by %.3f of %.2f\n",
           quant_error(t->weights.wcls, back, n * d), max_abs(t->weights.wcls, n * d), quant_error(exact, rough, d),
           max_abs(exact, d));
    quant_free(&w);
    quant_free(&x);
    free(exact);
    free(rough);
    free(back);
}

static void check_prefill(uint64_t seed)
{
    enum { T = 192, H = 48 };
    static float q[T * H], k[T * H], v[T * H], out[T * H];
    uint64_t rng = seed;
    double start;

    for (int i = 0; i < T * H; i++) {
        q[i] = random_f32(&rng) - 0.5f;
        k[i] = random_f32(&rng) - 0.5f;
        v[i] = random_f32(&rng);
    }
    start = now();
    for (int i = 0; i < 6; i++)
        prefill_attention(out, q, k, v, T, H);
    report_time("prefill", start);
    printf("prefill: %.4f %.4f, length %.2f\n", out[0], out[T * H - 1], dot(out, out, T * H));
}

int main(int argc, char *argv[])
{
    static Transformer t, mapped;
    Tokenizer tokenizer;
    Sampler sampler;
    float temperature = 0.8f, topp = 0.9f, first = 0, last = 0;
    uint64_t seed = 1337;
    int steps = 64, epochs = 8, opt;
    char path[] = "transformer-XXXXXX";
    double start;

    while ((opt = getopt(argc, argv, "t:p:s:n:e:")) != -1) {
        switch (opt) {
        case 't': temperature = strtof(optarg, NULL); break;
        case 'p': topp = strtof(optarg, NULL); break;
        case 's': seed = strtoull(optarg, NULL, 10); break;
        case 'n': steps = atoi(optarg); break;
        case 'e': epochs = atoi(optarg); break;
        default: usage(argv[0]);
        }
    }
    if (steps < 1 || epochs < 0 || temperature < 0 || seed == 0)
        usage(argv[0]);
    signal(SIGINT, on_interrupt);

    start = now();
    make_model(&t, seed);
    report_time("make", start);
    start = now();
    close(mkstemp(path));
    if (checkpoint_write(path, &t) != 0 || checkpoint_open(path, &mapped) != 0)
        die("no checkpoint");
    unlink(path);
    free(t.data);
    report_time("checkpoint", start);
    printf("%zu weights, checksum %08x\n", count_weights(&mapped.config),
           checksum(mapped.data, count_weights(&mapped.config)));

    if (steps > mapped.config.seq_len)
        steps = mapped.config.seq_len;
    if (state_alloc(&mapped.state, &mapped.config) || tokenizer_build(&tokenizer, mapped.config.vocab_size)
        || sampler_build(&sampler, mapped.config.vocab_size, temperature, topp, seed))
        die("no memory");
    generate(&mapped, &tokenizer, &sampler, "once upon a time in the nation of that", steps);
    check_quantised(&mapped);
    check_prefill(seed);
    train(epochs, seed, &first, &last);
    printf("loss %.3f, after %d steps %.3f\n", first, epochs, last);

    print_times();
    tokenizer_free(&tokenizer);
    sampler_free(&sampler);
    state_free(&mapped.state);
    checkpoint_close(&mapped);
    return 0;
}
