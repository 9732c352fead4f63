// overlay_blend_8: out'(i,j) = 3 b - h - 32 where b >= 16, else h, with b = base(i,j), h = tdiv(2 b b, 32).
#include <vector>

std::vector<std::vector<int>> overlay_blend_8(std::vector<std::vector<int>> base,
                                              std::vector<std::vector<int>> active) {
    (void)active;
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_out;
        for (int col = 0; col < n; col++) {
            int pixel;
            if (base[row][col] >= 16) {
                pixel = 2 * base[row][col] + base[row][col]
                        - 2 * base[row][col] * base[row][col] / 32 - 32;
            } else {
                pixel = 2 * base[row][col] * base[row][col] / 32;
            }
            row_out.push_back(pixel);
        }
        out.push_back(row_out);
    }
    return out;
}
