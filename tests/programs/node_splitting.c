// expect: loop-free
// F12: the body reads cells ahead that it will overwrite.
#include <math.h>

void node_splitting(int n, double *p, const double *q, const double *r, double *w) {
    for (int i = 0; i < n - 2; i++) {
        p[i] = q[i] * r[i];
        w[i] = fmax(p[i], p[i + 2]);
    }
}
