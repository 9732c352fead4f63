// normal_blend_8: out'(i) = opacity * active(i) + (32 - opacity) * base(i).
#include <vector>

std::vector<int> normal_blend_8(std::vector<int> base, std::vector<int> active, int opacity) {
    std::vector<int> out;
    int n = base.size();
    for (int i = 0; i < n; i++) {
        out.push_back(opacity * active[i] + (32 - opacity) * base[i]);
    }
    return out;
}
