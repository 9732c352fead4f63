// expect: loop-free
// Square roots, unless an argument is below zero: then an error code, by a jump to the end.
#include <math.h>

int goto_error_exit(int n, const double *a, double *out) {
    int status = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] < 0.0) {
            status = -1;
            goto fail;
        }
    }
    for (int i = 0; i < n; i++)
        out[i] = sqrt(a[i]);
fail:
    return status;
}
