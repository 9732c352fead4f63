// expect: loop-free
// Both arms of a condition use one quotient, which is computed in any case.
#include <math.h>

void normal_distribution(int n, const double *d, double *out) {
    for (int i = 0; i < n; i++) {
        double k = 1.0 / (1.0 + 0.2316419 * fabs(d[i]));
        double tail = exp(-0.5 * d[i] * d[i]) * (k * (0.319 + k * (-0.357 + k * 1.781)));
        out[i] = d[i] > 0 ? 1.0 - tail : tail;
    }
}
