// expect: loop-free
// F27: least distance of two vectors.
#include <math.h>

double min_abs_difference(int n, const double *p, const double *q) {
    double s = fabs(p[0] - q[0]);
    for (int i = 1; i < n; i++) {
        double d = fabs(p[i] - q[i]);
        if (d < s)
            s = d;
    }
    return s;
}
