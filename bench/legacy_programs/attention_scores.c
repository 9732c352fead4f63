// expect: loop-free
// Scaled products of queries and keys of one head.
#include <math.h>

void attention_scores(int t, int d, float q[t][d], float k[t][d], float s[t][t]) {
    float scale = 1.0f / sqrtf((float)d);
    for (int i = 0; i < t; i++)
        for (int j = 0; j < t; j++) {
            float acc = 0.0f;
            for (int e = 0; e < d; e++)
                acc += q[i][e] * k[j][e];
            s[i][j] = acc * scale;
        }
}
