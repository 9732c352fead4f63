// rmsnorm_part2: out'(i) = r * input(i) * weight(i), r = tdiv(1, root(tdiv(ss, n) + 1)) with the identity for root.
#include <vector>

static int root(int x) {
    return x;
}

std::vector<int> rmsnorm_part2(std::vector<int> input, std::vector<int> weight, int ss) {
    std::vector<int> out;
    int size = input.size();
    for (int i = 0; i < size; i++) {
        int scale = 1 / root(ss / size + 1);
        out.push_back(scale * input[i] * weight[i]);
    }
    return out;
}
