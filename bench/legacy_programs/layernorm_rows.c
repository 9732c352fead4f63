// expect: loop-free
// Layer normalisation with gain and bias.
#include <math.h>

void layernorm_rows(int rows, int cols, const float *x, const float *gain, const float *bias, float *y) {
    for (int i = 0; i < rows; i++) {
        float mean = 0.0f, var = 0.0f;
        for (int j = 0; j < cols; j++)
            mean += x[i * cols + j];
        mean /= cols;
        for (int j = 0; j < cols; j++) {
            float d = x[i * cols + j] - mean;
            var += d * d;
        }
        var /= cols;
        for (int j = 0; j < cols; j++)
            y[i * cols + j] = (x[i * cols + j] - mean) / sqrtf(var + 1e-5f) * gain[j] + bias[j];
    }
}
