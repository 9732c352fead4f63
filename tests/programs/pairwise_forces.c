// expect: loop-free
// Gravity between all pairs of bodies.
#include <math.h>

void pairwise_forces(int n, const double *px, const double *py, const double *pz, double *fx, double *fy, double *fz) {
    for (int i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < n; j++) {
            double dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
            double square = dx * dx + dy * dy + dz * dz + 1e-9;
            double inverse = 1.0 / (square * sqrt(square));
            ax += dx * inverse;
            ay += dy * inverse;
            az += dz * inverse;
        }
        fx[i] = ax;
        fy[i] = ay;
        fz[i] = az;
    }
}
