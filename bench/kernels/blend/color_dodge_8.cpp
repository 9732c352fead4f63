// color_dodge_8: out'(i,j) = 32 where active(i,j) = 32, else tdiv(base(i,j), 32 - active(i,j)).
#include <vector>

std::vector<std::vector<int>> color_dodge_8(std::vector<std::vector<int>> base, std::vector<std::vector<int>> active) {
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_out;
        for (int col = 0; col < n; col++) {
            int pixel;
            if (active[row][col] == 32) {
                pixel = 32;
            } else {
                pixel = base[row][col] / (32 - active[row][col]);
            }
            row_out.push_back(pixel);
        }
        out.push_back(row_out);
    }
    return out;
}
