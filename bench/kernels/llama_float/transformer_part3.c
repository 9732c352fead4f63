// transformer_part3: out'(i) = x * (1 / (1 + exp(-x))), x = input(i).
// Plain C form of a kernel on std::vector.
#include <math.h>

void transformer_part3(double *input, int hidden_dim, double *out) {
    for (int i = 0; i < hidden_dim; i++) {
        double gate = 1.0 / (1.0 + exp(0.0 - input[i]));
        out[i] = input[i] * gate;
    }
}
