// expect: unchanged
// Direct form I biquad whose state lives in a structure.
typedef struct {
    double b0, b1, b2, a1, a2;
} biquad_coeffs;

void biquad(const biquad_coeffs *c, const double *x, double *y, int n) {
    for (int i = 2; i < n; i++)
        y[i] = c->b0 * x[i] + c->b1 * x[i - 1] + c->b2 * x[i - 2] - c->a1 * y[i - 1] - c->a2 * y[i - 2];
}
