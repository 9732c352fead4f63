// sum_elts: s = sum_i arr(i).
int sum_elts(int *arr, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum = sum + arr[i];
    }
    return sum;
}
