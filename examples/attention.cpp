#include <cmath>
#include <vector>

class Matrix {
public:
    Matrix(int rows, int cols) : rows_(rows), cols_(cols), data_(rows * cols) {}
    float &operator()(int i, int j) { return data_[i * cols_ + j]; }
    float operator()(int i, int j) const { return data_[i * cols_ + j]; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }

private:
    int rows_, cols_;
    std::vector<float> data_;
};

std::vector<float> attention_scores(const Matrix &keys, const std::vector<float> &query) {
    std::vector<float> scores;
    for (int t = 0; t < keys.rows(); t++) {
        float dot = 0.0f;
        for (int i = 0; i < keys.cols(); i++) dot += query[i] * keys(t, i);
        scores.push_back(dot / std::sqrt((float)keys.cols()));
    }
    return scores;
}
