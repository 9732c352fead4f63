// expect: loop-free
// F10: sliding dot product, accumulated onto the output.
void convolution(int n, int k, double x[n + k - 1], double w[k], double y[n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            y[i] += w[j] * x[i + j];
}
