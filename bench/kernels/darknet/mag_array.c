// mag_array: s = sum_i a(i)^2, without a root.
int mag_array(int *a, int n) {
    int i;
    int sum = 0;
    for (i = 0; i < n; ++i) {
        sum += a[i] * a[i];
    }
    return sum;
}
