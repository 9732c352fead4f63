// expect: loop-free
// Dot product of fractions in 64 bits, unrolled by four with a tail.
#include <stdint.h>
typedef int16_t q15_t;
typedef int64_t q63_t;
typedef int32_t q31_t;
void dot_q15_unrolled(const q15_t *a, const q15_t *b, uint32_t n, q63_t *result) {
    uint32_t c;
    q63_t sum = 0;
    c = n >> 2U;
    while (c > 0U) {
        sum += (q63_t)((q31_t)*a++ * *b++);
        sum += (q63_t)((q31_t)*a++ * *b++);
        sum += (q63_t)((q31_t)*a++ * *b++);
        sum += (q63_t)((q31_t)*a++ * *b++);
        c--;
    }
    c = n % 0x4U;
    while (c > 0U) {
        sum += (q63_t)((q31_t)*a++ * *b++);
        c--;
    }
    *result = sum;
}
