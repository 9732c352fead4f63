// expect: hybrid
// Sweeps over a line until the largest change is small.
#include <math.h>

void relax_until_close(int sweeps, int n, double *x, const double *b) {
    for (int s = 0; s < sweeps; s++) {
        double worst = 0.0;
        for (int i = 1; i < n - 1; i++) {
            double next = 0.5 * (x[i - 1] + x[i + 1] - b[i]);
            if (fabs(next - x[i]) > worst)
                worst = fabs(next - x[i]);
            x[i] = next;
        }
        if (worst < 1e-6)
            break;
    }
}
