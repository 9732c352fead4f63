// dissolve_blend_8: out'(i,j) = active(i,j) if opacity >= v, else base(i,j), v = tdiv(rem(rand_cons, 100) + 1, 100).
#include <vector>

std::vector<std::vector<int>> dissolve_blend_8(std::vector<std::vector<int>> base,
                                               std::vector<std::vector<int>> active,
                                               int opacity,
                                               int rand_cons) {
    std::vector<std::vector<int>> out;
    int m = base.size();
    int n = base[0].size();
    for (int row = 0; row < m; row++) {
        std::vector<int> row_out;
        for (int col = 0; col < n; col++) {
            int threshold = (rand_cons % 100 + 1) / 100;
            int pixel;
            if (opacity - threshold >= 0) {
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
