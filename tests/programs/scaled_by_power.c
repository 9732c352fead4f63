// expect: loop-free
// Every cell is scaled by a product of equal factors.
void scaled_by_power(int n, int m, float x, float a[n]) {
    for (int i = 0; i < n; i++) {
        float p = 1.0f;
        for (int j = 0; j < m; j++)
            p *= x;
        a[i] *= p;
    }
}
