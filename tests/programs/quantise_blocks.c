// expect: loop-free
// Blocks of 32 numbers, each with a scale of its own, rounded half away from zero.
#include <math.h>

typedef struct {
    float scale;
    signed char cells[32];
} block;

void quantise_blocks(const float *x, block *y, int blocks) {
    for (int i = 0; i < blocks; i++) {
        float most = 0.0f;
        for (int j = 0; j < 32; j++)
            most = fmaxf(most, fabsf(x[i * 32 + j]));
        const float scale = most / ((1 << 7) - 1);
        const float inverse = scale ? 1.0f / scale : 0.0f;
        y[i].scale = scale;
        for (int j = 0; j < 32; j++)
            y[i].cells[j] = roundf(x[i * 32 + j] * inverse);
    }
}
