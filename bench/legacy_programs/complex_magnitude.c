// expect: loop-free
// Magnitude of interleaved complex numbers.
#include <math.h>

void complex_magnitude(const float *x, float *mag, unsigned int n) {
    unsigned int i;
    for (i = 0; i < n; i++)
        mag[i] = sqrtf(x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]);
}
