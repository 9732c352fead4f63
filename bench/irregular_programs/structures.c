// Structures as programs in C hold their data: parts reached by local pointers, arrays of structures that a pointer walks,
// values that functions return, and calls that end with a status.
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    int dim, hidden;
} config;
typedef struct {
    float *x, *xb, *h;
} buffers;
typedef struct {
    config config;
    buffers state;
    float *gain, *w;
} model;
typedef struct {
    double x, y, z;
} vec3;
typedef struct {
    vec3 pos, vel;
    double mass;
} particle;
typedef struct {
    int nx, ny;
    double *cell;
} field;
typedef struct {
    unsigned short taps;
    float *state;
    const float *coefficients;
} filter;

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
// The state and the sizes of a model by local pointers, as inference engines have them.
void norm_of_state(model *m) {
    const config *c = &m->config;
    buffers *s = &m->state;
    float ss = 0;
    for (int i = 0; i < c->dim; i++)
        ss += s->x[i] * s->x[i];
    ss = 1 / sqrtf(ss / c->dim + 1e-5f);
    for (int i = 0; i < c->dim; i++)
        s->xb[i] = m->gain[i] * (ss * s->x[i]);
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
// A layer on members of members.
void project(model *m) {
    config *c = &m->config;
    buffers *s = &m->state;
    for (int i = 0; i < c->hidden; i++) {
        float v = 0;
        for (int j = 0; j < c->dim; j++)
            v += m->w[i * c->dim + j] * s->xb[j];
        s->h[i] = v / (1 + expf(-v));
    }
}

static vec3 add(vec3 a, vec3 b) {
    vec3 c = {a.x + b.x, a.y + b.y, a.z + b.z};
    return c;
}

static vec3 scaled(vec3 a, double s) {
    a.x *= s;
    a.y *= s;
    a.z *= s;
    return a;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
// Structures that functions take and return.
void drift(particle *p, int n, double dt) {
    for (int i = 0; i < n; i++)
        p[i].pos = add(p[i].pos, scaled(p[i].vel, dt));
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
// A pointer that walks over an array of structures.
double kinetic_energy(const particle *p, int n) {
    double e = 0;
    for (const particle *q = p; q < p + n; q++)
        e += 0.5 * q->mass * (q->vel.x * q->vel.x + q->vel.y * q->vel.y + q->vel.z * q->vel.z);
    return e;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
// A stencil after tests of its arguments.
int laplace(const field *in, field *out) {
    if (in == NULL || !out)
        return -1;
    if (in->nx != out->nx || in->ny != out->ny)
        return -2;
    for (int i = 1; i < in->nx - 1; i++)
        for (int j = 1; j < in->ny - 1; j++)
            out->cell[i * in->ny + j] = in->cell[(i - 1) * in->ny + j] + in->cell[(i + 1) * in->ny + j] +
                                        in->cell[i * in->ny + j - 1] + in->cell[i * in->ny + j + 1] -
                                        4 * in->cell[i * in->ny + j];
    return 0;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
// A filter that keeps its history in an instance, and moves it to the front.
void fir_block(const filter *S, const float *src, float *dst, unsigned n) {
    float *state = S->state, *current = &S->state[S->taps - 1U];
    unsigned count = n;
    while (count > 0U) {
        const float *px = state, *pb = S->coefficients;
        float acc = 0;
        *current++ = *src++;
        for (unsigned k = S->taps; k > 0U; k--)
            acc += *px++ * *pb++;
        *dst++ = acc;
        state++;
        count--;
    }
    memmove(S->state, state, (S->taps - 1U) * sizeof(float));
}
