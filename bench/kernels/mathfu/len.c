// len: s = sum_i arr(i)^2, without a root.
int len(int *arr, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += arr[i] * arr[i];
    }
    return sum;
}
