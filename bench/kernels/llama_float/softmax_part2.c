// softmax_part2: out'(i) = exp(input(i) - max_val).
// Plain C form of a kernel on std::vector.
#include <math.h>

void softmax_part2(double *input, int max_pos, double max_val, double *out) {
    for (int i = 0; i < max_pos; i++) {
        double value = exp(input[i] - max_val);
        out[i] = value;
    }
}
