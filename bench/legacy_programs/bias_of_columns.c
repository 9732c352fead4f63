// expect: loop-free
// Add one bias for each column of a matrix that is walked as a flat array, with a check of the arguments.
#include <stddef.h>

int bias_of_columns(float *out, const float *bias, int rows, int cols) {
    if (out == NULL || bias == NULL || rows <= 0 || cols <= 0)
        return -1;
    for (int i = 0; i < rows * cols; i++)
        out[i] += bias[i % cols];
    return 0;
}
