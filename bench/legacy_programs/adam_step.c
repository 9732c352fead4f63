// expect: loop-free
// One step of the Adam optimiser.
#include <math.h>
void adam_step(float *p, const float *g, float *m, float *v, int n, float lr, float b1, float b2, float eps, int t) {
    for (int i = 0; i < n; i++) {
        float mm = b1 * m[i] + (1.0f - b1) * g[i];
        float vv = b2 * v[i] + (1.0f - b2) * g[i] * g[i];
        float mh = mm / (1.0f - powf(b1, t));
        float vh = vv / (1.0f - powf(b2, t));
        m[i] = mm;
        v[i] = vv;
        p[i] -= lr * mh / (sqrtf(vh) + eps);
    }
}
