// expect: loop-free
// Sum, maximum and minimum in one loop.
void suite_several_reductions(int n, const float *a, float *r) {
    float sum = 0.0f, mx = a[0], mn = a[0];
    for (int i = 0; i < n; i++) {
        sum += a[i];
        mx = a[i] > mx ? a[i] : mx;
        mn = a[i] < mn ? a[i] : mn;
    }
    r[0] = sum;
    r[1] = mx;
    r[2] = mn;
}
