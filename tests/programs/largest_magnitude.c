// expect: loop-free
// BLAS's place of the largest magnitude, with a stride.
#include <math.h>

int largest_magnitude(int n, const float *x, int incx) {
    int best = 0, ix = 0;
    float big;
    if (n < 1 || incx < 1)
        return -1;
    big = fabsf(x[0]);
    for (int i = 1; i < n; i++) {
        ix += incx;
        if (fabsf(x[ix]) > big) {
            big = fabsf(x[ix]);
            best = i;
        }
    }
    return best;
}
