/* Weights and activations in 8 bits: groups of GROUP_SIZE values share a scale (symmetric, "Q8_0"). */
#include <math.h>
#include <stdlib.h>

#include "model.h"

#define Q_MAX 127.0f

int quant_alloc(QuantizedTensor *t, int n)
{
    t->q = calloc(n, sizeof(int8_t));
    t->s = calloc(n / GROUP_SIZE, sizeof(float));
    if (!t->q || !t->s) {
        free(t->q);
        free(t->s);
        return -1;
    }
    return 0;
}

void quant_free(QuantizedTensor *t)
{
    free(t->q);
    free(t->s);
    t->q = NULL;
    t->s = NULL;
}

void quantize(QuantizedTensor *qx, const float *x, int n)
{
    int num_groups = n / GROUP_SIZE;

    for (int group = 0; group < num_groups; group++) {
        /* find the max absolute value in the current group */
        float wmax = 0.0f;
        for (int i = 0; i < GROUP_SIZE; i++) {
            float val = fabsf(x[group * GROUP_SIZE + i]);
            if (val > wmax) {
                wmax = val;
            }
        }

        /* calculate and write the scaling factor */
        float scale = wmax / Q_MAX;
        qx->s[group] = scale;

        /* calculate and write the quantized values */
        for (int i = 0; i < GROUP_SIZE; i++) {
            float quant_value = scale > 0.0f ? x[group * GROUP_SIZE + i] / scale : 0.0f;
            int8_t quantized = (int8_t)roundf(quant_value);
            qx->q[group * GROUP_SIZE + i] = quantized;
        }
    }
}

void dequantize(const QuantizedTensor *qx, float *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = qx->q[i] * qx->s[i / GROUP_SIZE];
    }
}

/* W (d,n) @ x (n,) -> xout (d,), both quantised: products of a group are summed in integers. */
void matmul_q8(float *xout, const QuantizedTensor *x, const QuantizedTensor *w, int n, int d)
{
    int i;
    #pragma omp parallel for private(i)
    for (i = 0; i < d; i++) {
        float val = 0.0f;
        int32_t ival = 0;
        int in = i * n;

        /* do the matmul in groups of GROUP_SIZE */
        int j;
        for (j = 0; j <= n - GROUP_SIZE; j += GROUP_SIZE) {
            for (int k = 0; k < GROUP_SIZE; k++) {
                ival += ((int32_t)x->q[j + k]) * ((int32_t)w->q[in + j + k]);
            }
            val += ((float)ival) * w->s[(in + j) / GROUP_SIZE] * x->s[j / GROUP_SIZE];
            ival = 0;
        }

        xout[i] = val;
    }
}

/* Root of the mean of squared differences. */
double quant_error(const float *x, const float *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double d = (double)x[i] - y[i];
        sum += d * d;
    }
    return sqrt(sum / n);
}
