// expect: loop-free
// Every second place of a convolution with a kernel that takes every third cell.
void strided_convolution(int n, int k, const double x[2 * n + 3 * k], const double w[k], double y[n]) {
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < k; j++)
            sum += x[2 * i + 3 * j] * w[j];
        y[i] = sum;
    }
}
