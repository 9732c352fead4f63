// expect: scan
// Exponential series until a term no longer counts.
#include <math.h>

double exp_series(double x) {
    double sum = 1.0, term = 1.0;
    for (int k = 1; k <= 60; k++) {
        term *= x / k;
        if (fabs(term) < 1e-15)
            break;
        sum += term;
    }
    return sum;
}
