// expect: loop-free
// F31: tests for null pointers and for an empty input guard the loop; an optional operand is tested inside.
#include <stddef.h>

int missing_arrays(int n, const double *a, const double *bias, double *b) {
    if (n <= 0 || a == NULL || !b)
        return -1;
    for (int i = 0; i < n; i++) {
        b[i] = a[i];
        if (bias)
            b[i] += bias[i];
    }
    return 0;
}
