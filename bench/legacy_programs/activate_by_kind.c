// expect: loop-free
// Activation chosen by a switch.
#include <math.h>

enum activation { LINEAR, RELU, LOGISTIC, TANH };

void activate_by_kind(enum activation kind, const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        switch (kind) {
        case RELU:
            y[i] = x[i] > 0 ? x[i] : 0;
            break;
        case LOGISTIC:
            y[i] = 1.0f / (1.0f + expf(-x[i]));
            break;
        case TANH:
            y[i] = tanhf(x[i]);
            break;
        case LINEAR:
        default:
            y[i] = x[i];
            break;
        }
    }
}
