// expect: refused
// Repeats until the change is small.
#include <math.h>

double until_converged(double a) {
    double x = a, change = 1.0;
    while (change > 1e-9) {
        double next = 0.5 * (x + a / x);
        change = fabs(next - x);
        x = next;
    }
    return x;
}
