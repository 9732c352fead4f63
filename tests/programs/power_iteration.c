// expect: hybrid
// Matrix-vector products one after the other, each normalised.
#include <math.h>

void power_iteration(int steps, int n, double a[n][n], double x[n], double y[n]) {
    for (int s = 0; s < steps; s++) {
        double norm = 0.0;
        for (int i = 0; i < n; i++) {
            y[i] = 0.0;
            for (int j = 0; j < n; j++)
                y[i] += a[i][j] * x[j];
            norm += y[i] * y[i];
        }
        for (int i = 0; i < n; i++)
            x[i] = y[i] / sqrt(norm);
    }
}
