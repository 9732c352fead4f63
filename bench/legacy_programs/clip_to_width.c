// expect: loop-free
// Saturate samples to a number of bits, through a function with several returns.
#include <stdint.h>

static int32_t saturate(int32_t value, uint32_t width) {
    if ((width >= 1U) && (width <= 32U)) {
        const int32_t most = (int32_t)((1U << (width - 1U)) - 1U);
        const int32_t least = -1 - most;
        if (value > most) {
            return most;
        } else if (value < least) {
            return least;
        }
    }
    return value;
}

void clip_to_width(const int32_t *src, int32_t *dst, uint32_t blockSize, uint32_t width) {
    uint32_t blkCnt = blockSize;
    while (blkCnt > 0U) {
        *dst++ = saturate(*src++, width);
        blkCnt--;
    }
}
