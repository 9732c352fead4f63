// expect: loop-free
// Leaky rectifier by a conditional expression.
void leaky_relu(const float *x, float *y, int n) {
    for (int i = 0; i < n; ++i)
        y[i] = (x[i] > 0) ? x[i] : .1f * x[i];
}
