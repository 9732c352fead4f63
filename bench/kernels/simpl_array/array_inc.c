// array_inc: arr'(i) = arr(i) + 1.
void array_inc(int *arr, int n) {
    for (int i = 0; i < n; i++) {
        arr[i] += 1;
    }
}
