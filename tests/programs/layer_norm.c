// expect: loop-free
// Mean, variance and affine map of each row.
#include <math.h>

void layer_norm(int rows, int n, double eps, double x[rows][n], double gain[n], double shift[n], double o[rows][n]) {
    for (int b = 0; b < rows; b++) {
        double mean = 0.0, var = 0.0;
        for (int i = 0; i < n; i++)
            mean += x[b][i];
        mean /= n;
        for (int i = 0; i < n; i++)
            var += (x[b][i] - mean) * (x[b][i] - mean);
        var /= n;
        double r = 1.0 / sqrt(var + eps);
        for (int i = 0; i < n; i++)
            o[b][i] = (x[b][i] - mean) * r * gain[i] + shift[i];
    }
}
