// expect: loop-free
// One vector, shifted by its maximum.
#include <math.h>

void softmax(int n, double x[n], double o[n]) {
    double m = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > m)
            m = x[i];
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        o[i] = exp(x[i] - m);
        s += o[i];
    }
    for (int i = 0; i < n; i++)
        o[i] = o[i] / s;
}
