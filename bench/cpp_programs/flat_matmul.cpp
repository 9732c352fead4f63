// expect: loop-free
// A matrix product on flat vectors, linearised by hand.
#include <vector>

std::vector<double> flat_matmul(const std::vector<double> &a, const std::vector<double> &b, int m, int n, int k) {
    std::vector<double> c(m * n, 0.0);
    for (int i = 0; i < m; i++) {
        for (int p = 0; p < k; p++) {
            double factor = a[i * k + p];
            for (int j = 0; j < n; j++) {
                c[i * n + j] += factor * b[p * n + j];
            }
        }
    }
    return c;
}
