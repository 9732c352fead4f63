// expect: loop-free
// Copy by memcpy, then scale in place.
#include <string.h>

void copy_then_scale(int n, const double *src, double *dst, double s) {
    memcpy(dst, src, n * sizeof(double));
    for (int i = 0; i < n; i++)
        dst[i] *= s;
}
