// expect: refused
// Output on the way.
#include <stdio.h>

void prints_values(int n, double *a) {
    for (int i = 0; i < n; i++) {
        a[i] *= 2.0;
        printf("%f\n", a[i]);
    }
}
