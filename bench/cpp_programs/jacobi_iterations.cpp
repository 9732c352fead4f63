// expect: hybrid
// A vector that is assigned in a loop keeps its size.
#include <vector>

std::vector<double> jacobi_iterations(const std::vector<std::vector<double>> &a, const std::vector<double> &b,
                                      std::vector<double> x, int iterations) {
    const int n = b.size();
    std::vector<double> y(n);
    for (int t = 0; t < iterations; t++) {
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int j = 0; j < n; j++) {
                if (j != i) s += a[i][j] * x[j];
            }
            y[i] = (b[i] - s) / a[i][i];
        }
        x = y;
    }
    return x;
}
