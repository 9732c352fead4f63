// expect: loop-free
// A dot product unrolled by five, without a tail.
float suite_dot_unrolled_by_five(int n, const float *a, const float *b) {
    float dot = 0.0f;
    for (int i = 0; i < n; i += 5)
    dot = dot + a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4];
    return dot;
}
