// expect: loop-free
// Mean and power of a signal, returned through pointers.
void mean_and_power(const float *x, int n, float *mean, float *power) {
    float s = 0.0f, p = 0.0f;
    for (int i = 0; i < n; i++) {
        s += x[i];
        p += x[i] * x[i];
    }
    *mean = s / n;
    *power = p / n;
}
