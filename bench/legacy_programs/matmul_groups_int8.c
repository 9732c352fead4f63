// expect: loop-free
// Matrix times vector in groups of bytes with scales.
#include <stdint.h>
void matmul_groups_int8(float *o, const int8_t *xq, const float *xs, const int8_t *wq, const float *ws, int n, int d, int G) {
    for (int i = 0; i < d; i++) {
        float val = 0;
        for (int j = 0; j < n; j++) {
            int32_t iv = 0;
            for (int k = 0; k < G; k++) iv += (int32_t)xq[j * G + k] * (int32_t)wq[(i * n + j) * G + k];
            val += (float)iv * ws[i * n + j] * xs[j];
        }
        o[i] = val;
    }
}
