// expect: loop-free
// Maximum of each element and its neighbours.
#include <float.h>
void max_pool_padded(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        float m = -FLT_MAX;
        for (int j = -1; j <= 1; j++) if (i + j >= 0 && i + j < n) if (x[i + j] > m) m = x[i + j];
        y[i] = m;
    }
}
