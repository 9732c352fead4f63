// expect: loop-free
// A sum of the elements above a bound.
float suite_conditional_sum(int n, const float *a) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
    if (a[i] > 5.0f)
    sum += a[i];
    return sum;
}
