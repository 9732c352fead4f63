// expect: loop-free
// F14: sums of groups whose length is a parameter.
void groups_of_a_size(const float *x, float *s, int n, int k) {
    for (int g = 0; g < n; g++)
        s[g] = 0.0f;
    for (int i = 0; i < k * n; i++)
        s[i / k] += x[i];
}
