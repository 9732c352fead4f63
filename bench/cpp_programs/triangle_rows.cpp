// expect: refused
// Rows of different lengths are no array.
#include <vector>

std::vector<std::vector<int>> triangle_rows(int n) {
    std::vector<std::vector<int>> out;
    for (int i = 0; i < n; i++) {
        std::vector<int> row;
        for (int j = 0; j <= i; j++) {
            row.push_back(i * j);
        }
        out.push_back(row);
    }
    return out;
}
