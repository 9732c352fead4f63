// screen_blend_8: out'(i,j) = base(i,j) + active(i,j) - tdiv(base(i,j) * active(i,j), 32).
#include <vector>

std::vector<std::vector<int>> screen_blend_8(std::vector<std::vector<int>> base, std::vector<std::vector<int>> active) {
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_out;
        for (int col = 0; col < n; col++) {
            row_out.push_back(base[row][col] + active[row][col]
                                 - base[row][col] * active[row][col] / 32);
        }
        out.push_back(row_out);
    }
    return out;
}
