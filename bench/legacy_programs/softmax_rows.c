// expect: loop-free
// Softmax of each row, shifted by its maximum.
#include <math.h>

void softmax_rows(int rows, int cols, float *x) {
    for (int i = 0; i < rows; i++) {
        float max = x[i * cols];
        for (int j = 1; j < cols; j++)
            if (x[i * cols + j] > max)
                max = x[i * cols + j];
        float sum = 0.0f;
        for (int j = 0; j < cols; j++) {
            x[i * cols + j] = expf(x[i * cols + j] - max);
            sum += x[i * cols + j];
        }
        for (int j = 0; j < cols; j++)
            x[i * cols + j] /= sum;
    }
}
