// expect: loop-free
// A matrix class with operator() over a flat vector; its product with its transpose is returned.
#include <vector>

class Matrix {
public:
    Matrix(int rows, int cols) : rows_(rows), cols_(cols), data_(rows * cols, 0.0) {}
    double &operator()(int i, int j) { return data_[i * cols_ + j]; }
    double operator()(int i, int j) const { return data_[i * cols_ + j]; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }

private:
    int rows_;
    int cols_;
    std::vector<double> data_;
};

Matrix gram_of_class(const Matrix &a) {
    Matrix g(a.cols(), a.cols());
    for (int i = 0; i < a.cols(); i++) {
        for (int j = 0; j < a.cols(); j++) {
            double s = 0.0;
            for (int k = 0; k < a.rows(); k++) {
                s += a(k, i) * a(k, j);
            }
            g(i, j) = s;
        }
    }
    return g;
}
