// expect: loop-free
// A lambda that captures a copy of a parameter which never changes.
#include <algorithm>
#include <cstdint>
#include <vector>

void threshold_bytes(const std::vector<uint8_t> &src, std::vector<uint8_t> &dst, uint8_t level) {
    std::transform(src.begin(), src.end(), dst.begin(), [level](uint8_t v) { return v > level ? 255 : 0; });
}
