// expect: loop-free
// Pairs are turned by angles that depend on the position: quotients and powers of indices in single precision.
#include <math.h>

void rotary_embedding(float *q, int pairs, int pos) {
    for (int j = 0; j < pairs; j++) {
        float freq = 1.0f / powf(10000.0f, 2 * j / (float)(2 * pairs));
        float cosine = cosf(pos * freq), sine = sinf(pos * freq);
        float re = q[2 * j], im = q[2 * j + 1];
        q[2 * j] = re * cosine - im * sine;
        q[2 * j + 1] = re * sine + im * cosine;
    }
}
