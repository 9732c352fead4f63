// expect: loop-free
// A loop of a vectoriser suite on global arrays of fixed length.
#define LEN 256
static double a[LEN], b[LEN], c[LEN], d[LEN];

void suite_global_arrays(void) {
    for (int i = 0; i < LEN; i++)
        a[i] = b[i] + c[i] * d[i];
}
