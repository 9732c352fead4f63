#include <math.h>

void f(int n, int s, double t, const double *x, const double *y, const double *z, const int *at, const int *key, const int *ptr, double *out, double *res, int *h)
{
    for (int i1 = 0; i1 < n; i1++) {
        h[at[i1]]++;
    }
}
