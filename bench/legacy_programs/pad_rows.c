// expect: loop-free
// Copy rows to a wider matrix by memset and memcpy.
#include <string.h>
void pad_rows(float *dst, const float *src, int n, int m, int pad) {
    for (int i = 0; i < n; i++) {
        memset(dst + i * (m + pad), 0, pad * sizeof(float));
        memcpy(dst + i * (m + pad) + pad, src + i * m, m * sizeof(float));
    }
}
