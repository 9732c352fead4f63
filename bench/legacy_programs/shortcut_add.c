// expect: loop-free
// Residual connection with a prologue that clears the padding by memset.
#include <string.h>

void shortcut_add(int n, const float *a, const float *b, float *out, float *pad, int padding) {
    memset(pad, 0, padding * sizeof(float));
    for (int i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}
