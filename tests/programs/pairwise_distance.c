// expect: loop-free
// Euclidean distances of two sets of points.
#include <math.h>

void pairwise_distance(int n, int m, int d, double x[n][d], double y[m][d], double o[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double s = 0.0;
            for (int k = 0; k < d; k++)
                s += (x[i][k] - y[j][k]) * (x[i][k] - y[j][k]);
            o[i][j] = sqrt(s);
        }
}
