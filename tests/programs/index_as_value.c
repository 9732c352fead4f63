// expect: loop-free
// F36: the loop variable as a number.
#include <math.h>

void index_as_value(int n, double *p, const double *q) {
    for (int i = 0; i < n; i++)
        p[i] = exp(-q[i]) * (2 * i + 1);
}
