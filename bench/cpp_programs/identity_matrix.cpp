// expect: loop-free
// An identity matrix in a vector of vectors.
#include <vector>

std::vector<std::vector<int>> identity_matrix(int n) {
    std::vector<std::vector<int>> id(n, std::vector<int>(n, 0));
    for (int i = 0; i < n; i++) {
        id[i][i] = 1;
    }
    return id;
}
