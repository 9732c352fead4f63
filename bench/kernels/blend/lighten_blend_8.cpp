// lighten_blend_8: out'(i,j) = active(i,j) where base(i,j) < active(i,j), else base(i,j).
#include <vector>

std::vector<std::vector<int>> lighten_blend_8(std::vector<std::vector<int>> base,
                                              std::vector<std::vector<int>> active) {
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_out;
        for (int col = 0; col < n; col++) {
            int pixel;
            if (base[row][col] < active[row][col]) {
                pixel = active[row][col];
            } else {
                pixel = base[row][col];
            }
            row_out.push_back(pixel);
        }
        out.push_back(row_out);
    }
    return out;
}
