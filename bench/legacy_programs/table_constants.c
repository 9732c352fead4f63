// expect: loop-free
// A small constant kernel as a table at file scope.
static const float kernel[3] = {0.25f, 0.5f, 0.25f};

void table_constants(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++)
        y[i] = kernel[0] * x[i] + kernel[1] * x[i + 1] + kernel[2] * x[i + 2];
}
