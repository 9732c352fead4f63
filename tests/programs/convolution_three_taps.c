// expect: loop-free
// A window of fixed width around each inner cell.
void convolution_three_taps(int n, double x[n], double w[3], double y[n]) {
    for (int i = 1; i < n - 1; i++) {
        y[i] = 0.0;
        for (int j = 0; j < 3; j++)
            y[i] += x[i + j - 1] * w[j];
    }
}
