// expect: loop-free
// A diagonal, which claims no more elements than the matrix has.
#include <vector>

struct Matrix {
    int rows, cols;
    std::vector<double> data;
    double operator()(int i, int j) const { return data[i * cols + j]; }
};

double trace_of_matrix(const Matrix &a) {
    double t = 0;
    for (int i = 0; i < a.rows; ++i) t += a(i, i);
    return t;
}
