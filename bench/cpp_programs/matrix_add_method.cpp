// expect: loop-free
// A member function that changes the object, called on a reference parameter.
#include <vector>

struct Table {
    std::vector<std::vector<double>> cells;
    void add(const Table &other) {
        for (std::size_t i = 0; i < cells.size(); i++) {
            for (std::size_t j = 0; j < cells[i].size(); j++) {
                cells[i][j] += other.cells[i][j];
            }
        }
    }
};

void matrix_add_method(Table &a, const Table &b) {
    a.add(b);
}
