// expect: loop-free
// Complex product on arrays of structures.
typedef struct {
    float re, im;
} cpx;

void complex_multiply_structs(const cpx *a, const cpx *b, cpx *c, int n) {
    for (int i = 0; i < n; i++) {
        cpx t;
        t.re = a[i].re * b[i].re - a[i].im * b[i].im;
        t.im = a[i].re * b[i].im + a[i].im * b[i].re;
        c[i] = t;
    }
}
