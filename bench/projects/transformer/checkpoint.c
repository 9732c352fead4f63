/* Checkpoints: a header, then all weights as floats; reading maps the file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"

struct header {
    uint32_t magic;
    uint32_t version;
    Config config;
    uint32_t sum;
    uint32_t reserved[4];
};

static size_t head_size_of(const Config *p)
{
    return p->dim / p->n_heads;
}

size_t count_weights(const Config *p)
{
    size_t head_size = head_size_of(p);
    size_t kv_dim = p->n_kv_heads * head_size;
    size_t layers = p->n_layers;
    size_t n = 0;

    n += (size_t)p->vocab_size * p->dim;
    n += layers * p->dim * 2;
    n += layers * p->dim * p->dim * 2;
    n += layers * p->dim * kv_dim * 2;
    n += layers * p->dim * p->hidden_dim * 3;
    n += p->dim;
    return n;
}

void map_weights(Weights *w, const Config *p, float *ptr)
{
    size_t head_size = head_size_of(p);
    size_t kv_dim = p->n_kv_heads * head_size;
    size_t layers = p->n_layers; /* in size_t, so that products of large models do not overflow */

    w->token_embedding = ptr;
    ptr += (size_t)p->vocab_size * p->dim;
    w->rms_att = ptr;
    ptr += layers * p->dim;
    w->wq = ptr;
    ptr += layers * p->dim * p->dim;
    w->wk = ptr;
    ptr += layers * p->dim * kv_dim;
    w->wv = ptr;
    ptr += layers * p->dim * kv_dim;
    w->wo = ptr;
    ptr += layers * p->dim * p->dim;
    w->rms_ffn = ptr;
    ptr += layers * p->dim;
    w->w1 = ptr;
    ptr += layers * p->dim * p->hidden_dim;
    w->w2 = ptr;
    ptr += layers * p->dim * p->hidden_dim;
    w->w3 = ptr;
    ptr += layers * p->dim * p->hidden_dim;
    w->rms_final = ptr;
    w->wcls = w->token_embedding; /* tied */
}

/* Sum of the words of all weights, with a rotation, so that order counts. */
uint32_t checksum(const float *data, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, &data[i], sizeof word);
        sum = (sum << 1 | sum >> 31) ^ word;
    }
    return sum;
}

int checkpoint_write(const char *path, const Transformer *t)
{
    struct header header;
    size_t n = count_weights(&t->config);
    FILE *file = fopen(path, "wb");

    if (!file) {
        fprintf(stderr, "couldn't open %s: %s\n", path, strerror(errno));
        return -1;
    }
    memset(&header, 0, sizeof header);
    header.magic = MODEL_MAGIC;
    header.version = 1;
    header.config = t->config;
    header.sum = checksum(t->data, n);
    if (fwrite(&header, sizeof header, 1, file) != 1 || fwrite(t->data, sizeof(float), n, file) != n) {
        fprintf(stderr, "couldn't write %s: %s\n", path, strerror(errno));
        fclose(file);
        return -1;
    }
    return fclose(file);
}

int checkpoint_open(const char *path, Transformer *t)
{
    struct stat st;
    struct header header;
    char *map;

    t->fd = open(path, O_RDONLY);
    if (t->fd == -1) {
        fprintf(stderr, "couldn't open %s: %s\n", path, strerror(errno));
        return -1;
    }
    if (fstat(t->fd, &st) == -1 || (size_t)st.st_size < sizeof header) {
        fprintf(stderr, "%s is too short\n", path);
        goto fail;
    }
    t->file_size = st.st_size;
    map = mmap(NULL, t->file_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, t->fd, 0);
    if (map == MAP_FAILED) {
        fprintf(stderr, "mmap failed: %s\n", strerror(errno));
        goto fail;
    }
    memcpy(&header, map, sizeof header);
    if (header.magic != MODEL_MAGIC || header.version != 1) {
        fprintf(stderr, "%s is no checkpoint\n", path);
        munmap(map, t->file_size);
        goto fail;
    }
    t->config = header.config;
    t->data = (float *)(map + sizeof header);
    map_weights(&t->weights, &t->config, t->data);
    if (checksum(t->data, count_weights(&t->config)) != header.sum) {
        fprintf(stderr, "%s is damaged\n", path);
        munmap(map, t->file_size);
        goto fail;
    }
    return 0;

fail:
    close(t->fd);
    t->fd = -1;
    return -1;
}

void checkpoint_close(Transformer *t)
{
    if (t->file_size > 0) {
        munmap((char *)t->data - sizeof(struct header), t->file_size);
    }
    if (t->fd != -1) {
        close(t->fd);
    }
    t->data = NULL;
    t->file_size = 0;
    t->fd = -1;
}
