// rmsnorm_part2: out'(i) = input(i) * weight(i) / sqrt(ss / n + 1), the root recomputed in the loop.
// Plain C form of a kernel on std::vector.
#include <math.h>

void rmsnorm_part2(double *input, double *weight, double ss, double *out, int n) {
    for (int i = 0; i < n; i++) {
        double scale = 1.0 / sqrt(ss / n + 1.0);
        out[i] = scale * input[i] * weight[i];
    }
}
