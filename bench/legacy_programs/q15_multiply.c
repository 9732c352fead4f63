// expect: loop-free
// Product of 16-bit fractions with rounding and saturation.
#include <stdint.h>

void q15_multiply(const int16_t *a, const int16_t *b, int16_t *c, int n) {
    for (int i = 0; i < n; i++) {
        int32_t p = ((int32_t)a[i] * b[i] + 16384) >> 15;
        c[i] = (int16_t)(p > 32767 ? 32767 : p);
    }
}
