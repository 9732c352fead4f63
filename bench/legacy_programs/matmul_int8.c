// expect: loop-free
// Quantised matrix product with 32-bit sums and zero points.
#include <stdint.h>

void matmul_int8(int m, int n, int k, const int8_t *a, const int8_t *b, int32_t za, int32_t zb, int32_t *c) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int32_t acc = 0;
            for (int p = 0; p < k; p++)
                acc += ((int32_t)a[i * k + p] - za) * ((int32_t)b[p * n + j] - zb);
            c[i * n + j] = acc;
        }
}
