// expect: refused
// Data choose the element that counts.
#include <cstdint>
#include <vector>

std::vector<int> bytes_histogram(const std::vector<uint8_t> &img) {
    std::vector<int> h(256, 0);
    for (uint8_t p : img) h[p]++;
    return h;
}
