// expect: loop-free
// Scratch memory from the heap, with a check that it was found.
#include <stdlib.h>

int covariance_on_heap(int n, int m, const double *x, double *cov) {
    double *mean = calloc(m, sizeof *mean);
    if (mean == NULL)
        return -1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            mean[j] += x[i * m + j];
    for (int j = 0; j < m; j++)
        mean[j] /= n;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += (x[k * m + i] - mean[i]) * (x[k * m + j] - mean[j]);
            cov[i * m + j] = s;
        }
    free(mean);
    return 0;
}
