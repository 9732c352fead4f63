// expect: loop-free
// Batch normalisation with stored statistics, parameters in a structure.
#include <math.h>

typedef struct {
    int channels;
    const float *mean, *variance, *scale, *bias;
} batchnorm;

void batchnorm_inference(const batchnorm *bn, float *x, int batch) {
    for (int b = 0; b < batch; b++)
        for (int c = 0; c < bn->channels; c++) {
            float v = (x[b * bn->channels + c] - bn->mean[c]) / sqrtf(bn->variance[c] + 1e-5f);
            x[b * bn->channels + c] = v * bn->scale[c] + bn->bias[c];
        }
}
