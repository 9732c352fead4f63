// expect: loop-free
// Saturating addition of 16-bit fractions.
#include <stdint.h>

static int16_t saturate(int32_t x) {
    if (x > 32767)
        return 32767;
    if (x < -32768)
        return -32768;
    return (int16_t)x;
}

void q15_add_saturating(const int16_t *a, const int16_t *b, int16_t *c, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        c[i] = saturate((int32_t)a[i] + b[i]);
}
