// Structures and tables of row pointers as the literal reader takes them, each function once.
#include <stddef.h>
typedef struct {
    int rows, cols;
    double *data;
} matrix;
typedef struct {
    float re, im;
} cpx;
struct shape {
    int rows, cols;
};
struct shaped {
    struct shape shape;
    const double *data;
};
struct state {
    double mean;
    int count;
    double last[4];
};

// Members behind a pointer.

void written_cells(struct state *s, const double *x, int n) {
    for (int i = 0; i < n; i++)
        s->mean += x[i];
    s->count++;
}

double array_inside(const struct state *s) {
    double t = 0;
    for (int i = 0; i < 4; i++)
        t += s->last[i];
    return t / s->count;
}

void shifted_array(struct state *s, double x) {
    for (int i = 3; i > 0; i--)
        s->last[i] = s->last[i - 1];
    s->last[0] = x;
}

void address_of_a_member(struct state *s, int n) {
    double *p = &s->mean;
    for (int i = 0; i < n; i++)
        *p += i;
}

void walking_member(const matrix *m) {
    double *p = m->data, *end = p + m->rows;
    while (p < end)
        *p++ = 1;
}

double nested(const struct shaped *m) {
    double t = 0;
    for (int i = 0; i < m->shape.rows; i++)
        for (int j = 0; j < m->shape.cols; j++)
            t += m->data[i * m->shape.cols + j];
    return t;
}

// Local pointers to structures.

double of_a_member(const struct shaped *m) {
    const struct shape *size = &m->shape;
    double t = 0;
    for (int i = 0; i < size->rows * size->cols; i++)
        t += m->data[i];
    return t;
}

void written_by_another_name(struct state *s, const double *x, int n) {
    struct state *const other = s;
    for (int i = 0; i < n; i++) {
        other->mean += x[i] * s->count;
        s->last[i % 4] = other->mean;
    }
}

float walked(const cpx *x, int n) {
    const cpx *p;
    float t = 0;
    for (p = x; p != x + n; p++)
        t += p->re * p[0].im;
    return t;
}

void moved_parameter(cpx *x, int n) {
    for (; n > 1; n--, ++x) {
        x->re = x->im;
        x += 1;
        (*x).im -= n--;
    }
}

void one_of_many(cpx *x, int n) {
    for (int i = 0; i < n; i++) {
        cpx *p = &x[i], *last = x + (n - 1);
        p->im = last->re;
        if (p < last)
            p[1].re += p->im;
    }
}

int null_of_a_structure(const matrix *m, double *y) {
    if (!m || m == NULL)
        return -1;
    for (int i = 0; i < m->rows; i++)
        y[i] = m->data[i];
    return m ? m->rows : 0;
}

// Structures that functions return.

static cpx times(cpx a, cpx b) {
    cpx c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return c;
}

static cpx plus(cpx a, cpx b) {
    a.re += b.re;
    a.im += b.im;
    return a;
}

void products(const cpx *x, cpx *y, int n) {
    cpx t = {0, 0};
    for (int i = 0; i < n; i++) {
        t = plus(t, times(x[i], y[i]));
        y[i] = times(t, x[i]);
    }
}

static struct shaped cut(struct shaped m, int rows) {
    m.data += (m.shape.rows - rows) * m.shape.cols;
    m.shape.rows = rows;
    return m;
}

double returned_pointer(struct shaped m) {
    double t = 0;
    struct shaped last = cut(m, 1);
    for (int i = 0; i < last.shape.rows * last.shape.cols; i++)
        t += last.data[i];
    return t;
}

// Values.

void moved_value(struct shaped m, double *y) {
    while (m.shape.rows-- > 0)
        *y++ = *m.data++;
}

int swapped_value(struct shape a) {
    struct shape b = a;
    a.rows = b.cols;
    a.cols = b.rows;
    return a.rows - 2 * a.cols;
}

double copies(struct shape a, const double *x) {
    struct shape b = a, c;
    c = b;
    double s = 0;
    for (int i = 0; i < c.rows; i++)
        s += x[i] * b.cols;
    return s;
}

// Locals.

double initialised(const double *x, int n) {
    struct {
        double sum, most;
        int count;
    } a = {0, x[0]};
    for (int i = 0; i < n; i++) {
        a.sum += x[i];
        a.most = x[i] > a.most ? x[i] : a.most;
        a.count++;
    }
    return a.sum * a.most / a.count;
}

double local_array(const double *x, int n) {
    struct {
        double c[3];
        int k;
    } w;
    double s = 0;
    w.k = 3;
    for (int j = 0; j < 3; j++)
        w.c[j] = j + 1;
    for (int i = 2; i < n; i++)
        for (int j = 0; j < w.k; j++)
            s += w.c[j] * x[i - j];
    return s;
}

// Arrays of structures.

void reversed(cpx *x, int n) {
    for (int i = 0; i < n / 2; i++) {
        cpx t = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = t;
    }
}

void first_of_them(cpx *x) {
    x->re = 2 * x->im;
    (*x).im = 1;
}

// Calls.

static void clear(matrix *m) {
    for (int i = 0; i < m->rows; i++)
        m->data[i] = 0;
}

void passed_on(matrix *a) {
    clear(a);
}

static double norm(cpx z) {
    return z.re * z.re + z.im * z.im;
}

void passed_by_value(const cpx *x, double *y, int n) {
    for (int i = 0; i < n; i++)
        y[i] = norm(x[i]);
}

static float real(const cpx *z) {
    return z->re;
}

void passed_by_address(const cpx *x, float *y, int n) {
    for (int i = 0; i < n; i++)
        y[i] = real(&x[i]);
}

// Structures that members point to.

typedef struct {
    int n;
    cpx *points;
    const matrix *weights;
} cloud;

void led_to(cloud *c) {
    for (int i = 0; i < c->n; i++)
        c->points[i].re += c->weights->data[i] * c->weights->cols;
}

void led_to_by_a_moving_pointer(cloud c) {
    for (cpx *p = c.points; p < c.points + c.n; p++)
        p->im = p->re;
}

double led_to_and_passed(const cloud *c) {
    double s = 0;
    for (int i = 0; i < c->n; i++)
        s += norm(c->points[i]) + real(c->points + i);
    return s;
}

// Tables of row pointers.

void rows(int n, int m, double **a) {
    for (int i = 0; i < n; i++) {
        double *r = a[i];
        for (int j = 0; j < m; j++)
            r[j] = *(*(a + i) + j) + 1;
    }
}

static void doubled(double *r, int m) {
    for (int j = 0; j < m; j++)
        r[j] *= 2;
}

void row_passed(int n, int m, double **a) {
    for (int i = 0; i < n; i++)
        doubled(a[i], m);
}

static double at(double **a, int i, int j) {
    return a[i][j];
}

double table_passed(int n, int m, double **a) {
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += at(a, i, j);
    return s;
}

// Local arrays of structures.

void butterflies(int n, const cpx *x, cpx *y) {
    cpx s[2], *p = s;
    for (int k = 0; k < n; k++) {
        s[0].re = x[k].re + x[k].im;
        s[0].im = x[k].re - x[k].im;
        p[1] = *p;
        y[k].re = s[1].im;
        y[k].im = (s + 1)->re;
    }
}

double listed(int n, const double *x) {
    struct {
        double weight;
        int sign;
    } t[] = {{0.5, 1}, {1.5, -1}, {2.5, 2}};
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * t[i % 3].weight * t[(i + 1) % 3].sign;
    return s;
}

double delayed(int n, const double *x) {
    struct state t[n + 1];
    for (int i = 0; i <= n; i++) {
        t[i].count = i;
        for (int j = 0; j < 4; j++)
            t[i].last[j] = i < n ? x[i] * j : j;
    }
    return t[n].last[3] + t[n / 2].last[1] + t[n].count;
}
