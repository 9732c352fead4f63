// expect: loop-free
// Odd elements from the even ones before them.
void suite_odd_from_even(int n, float *a, const float *b) {
    for (int i = 1; i < n; i += 2)
    a[i] = a[i - 1] + b[i];
}
