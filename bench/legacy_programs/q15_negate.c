// expect: loop-free
// Negation of fractions: the least one saturates.
#include <stdint.h>

void q15_negate(const int16_t *src, int16_t *dst, int n) {
    for (int i = 0; i < n; i++)
        dst[i] = src[i] == -32768 ? 32767 : (int16_t)-src[i];
}
