// expect: loop-free
// Classes that hold a pointer, and a table of row pointers, as older libraries have them.
template <class T> class NumVector {
    int n;
    T *v;

public:
    explicit NumVector(int size) : n(size), v(new T[size]) {}
    T &operator[](int i) { return v[i]; }
    const T &operator[](int i) const { return v[i]; }
    int size() const { return n; }
};

template <class T> class NumMatrix {
    int n, m;
    T **v;

public:
    const T *operator[](int i) const { return v[i]; }
    int nrows() const { return n; }
    int ncols() const { return m; }
};

void rows_of_pointers(const NumMatrix<double> &a, const NumVector<double> &x, NumVector<double> &y) {
    for (int i = 0; i < a.nrows(); i++) {
        double sum = 0.0;
        for (int j = 0; j < a.ncols(); j++) sum += a[i][j] * x[j];
        y[i] = sum;
    }
}
