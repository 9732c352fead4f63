// softmax_part3: s = sum over i in [0,max_pos) of output(i).
#include <vector>

int softmax_part3(std::vector<int> output, int max_pos) {
    int sum = 0;
    for (int i = 0; i < max_pos; i++) {
        sum += output[i];
    }
    return sum;
}
