// expect: hybrid
// Tree sum of a power of two elements, by strides that halve.
void while_halving(int n, double *x) {
    int half = n / 2;
    while (half > 0) {
        for (int i = 0; i < half; i++)
            x[i] += x[i + half];
        half /= 2;
    }
}
