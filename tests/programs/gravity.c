// expect: loop-free
// Every pair of bodies: a quotient by a cube, shared by two sums.
#include <math.h>

void gravity(int n, const double x[n], const double y[n], const double m[n], double ax[n], double ay[n]) {
    for (int i = 0; i < n; i++) {
        ax[i] = ay[i] = 0.0;
        for (int j = 0; j < n; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i];
            double d = sqrt(dx * dx + dy * dy + 1e-9);
            double f = m[j] / (d * d * d);
            ax[i] += f * dx;
            ay[i] += f * dy;
        }
    }
}
