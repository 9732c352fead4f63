// expect: loop-free
// BLAS axpy with constant strides.
void axpy_strided(int n, float alpha, const float *x, float *y) {
    for (int i = 0; i < n; ++i)
        y[2 * i] += alpha * x[3 * i];
}
