// expect: loop-free
// A class with a plain array as its member.
template <typename T, int R, int C> struct Mat {
    T m[R][C];
    T &operator()(int i, int j) { return m[i][j]; }
    const T &operator()(int i, int j) const { return m[i][j]; }
};

void small_matrix_product(const Mat<float, 4, 4> &a, const Mat<float, 4, 4> &b, Mat<float, 4, 4> &c) {
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            c(i, j) = 0;
            for (int k = 0; k < 4; k++) {
                c(i, j) += a(i, k) * b(k, j);
            }
        }
    }
}
