// expect: loop-free
// A class template over a pointer, with at() and a size; a Jacobi step.
template <typename T> class Grid {
public:
    T &at(int y, int x) { return data[y * width + x]; }
    const T &at(int y, int x) const { return data[y * width + x]; }
    int width;
    int height;
    T *data;
};

void grid_of_class(const Grid<float> &from, Grid<float> &to) {
    for (int y = 1; y < from.height - 1; y++) {
        for (int x = 1; x < from.width - 1; x++) {
            to.at(y, x) = 0.25f * (from.at(y - 1, x) + from.at(y + 1, x) + from.at(y, x - 1) + from.at(y, x + 1));
        }
    }
}
