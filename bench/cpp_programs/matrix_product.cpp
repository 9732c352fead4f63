// expect: loop-free
// A matrix class template with overloaded operators; temporaries vanish.
#include <cstddef>
#include <vector>

template <typename T> class Matrix {
    std::size_t rows_ = 0, cols_ = 0;
    std::vector<T> data_;

public:
    Matrix(std::size_t rows, std::size_t cols, T value = T()) : rows_(rows), cols_(cols), data_(rows * cols, value) {}
    T &operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
    const T &operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }
    std::size_t rows() const { return rows_; }
    std::size_t cols() const { return cols_; }
    Matrix transpose() const {
        Matrix t(cols_, rows_);
        for (std::size_t i = 0; i < rows_; ++i) {
            for (std::size_t j = 0; j < cols_; ++j) {
                t(j, i) = (*this)(i, j);
            }
        }
        return t;
    }
    friend Matrix operator*(const Matrix &a, const Matrix &b) {
        Matrix c(a.rows(), b.cols());
        for (std::size_t i = 0; i < a.rows(); ++i) {
            for (std::size_t j = 0; j < b.cols(); ++j) {
                T sum{};
                for (std::size_t k = 0; k < a.cols(); ++k) {
                    sum += a(i, k) * b(k, j);
                }
                c(i, j) = sum;
            }
        }
        return c;
    }
};

Matrix<double> matrix_product(const Matrix<double> &a) {
    return a.transpose() * a;
}
