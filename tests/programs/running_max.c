// expect: scan
// Largest value so far.
#include <math.h>

void running_max(int n, double a[n], double o[n]) {
    double m = a[0];
    for (int i = 0; i < n; i++) {
        m = fmax(m, a[i]);
        o[i] = m;
    }
}
