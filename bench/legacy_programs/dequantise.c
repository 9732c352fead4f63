// expect: loop-free
// Back from bytes to floating point, one scale for each row.
#include <stdint.h>

void dequantise(int rows, int cols, const uint8_t *q, const float *scale, int zero, float *x) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            x[i * cols + j] = scale[i] * (float)(q[i * cols + j] - zero);
}
