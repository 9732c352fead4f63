// negate: arr'(i) = -arr(i).
void negate(int *arr, int n) {
    for (int i = 0; i < n; ++i) {
        arr[i] = -arr[i];
    }
}
