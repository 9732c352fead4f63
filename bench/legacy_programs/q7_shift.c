// expect: loop-free
// Arithmetic shift of 8-bit samples with saturation.
#include <stdint.h>

void q7_shift(const int8_t *src, int shift, int8_t *dst, int n) {
    for (int i = 0; i < n; i++) {
        int v = src[i] * (1 << shift);
        if (v > 127)
            v = 127;
        else if (v < -128)
            v = -128;
        dst[i] = (int8_t)v;
    }
}
