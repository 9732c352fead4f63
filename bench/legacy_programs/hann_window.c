// expect: loop-free
// Apply a Hann window that is computed on the way.
#include <math.h>

void hann_window(double *x, int n) {
    for (int i = 0; i < n; i++)
        x[i] *= 0.5 - 0.5 * cos(6.283185307179586 * i / (n - 1));
}
