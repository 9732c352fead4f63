// expect: loop-free
// An object that is passed by value, changes and is returned.
#include <vector>

struct Series {
    int length;
    std::vector<float> values;
    float &at(int i) { return values[i]; }
};

Series copy_and_shift(Series s, float offset) {
    for (int i = 0; i < s.length; i++) {
        s.at(i) += offset;
    }
    return s;
}
