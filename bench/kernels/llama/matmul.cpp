// matmul: out'(i) = sum_j weight(i,j) * input(j).
#include <vector>

std::vector<int> matmul(std::vector<std::vector<int>> weight, std::vector<int> input) {
    std::vector<int> out;
    int m = weight.size();
    int n = input.size();
    for (int row = 0; row < m; row++) {
        int sum = 0;
        for (int col = 0; col < n; col++) {
            sum += weight[row][col] * input[col];
        }
        out.push_back(sum);
    }
    return out;
}
