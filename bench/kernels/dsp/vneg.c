// vneg: arr'(i) = -arr(i).
void vneg(int *arr, int n) {
    for (int i = 0; i < n; ++i) {
        arr[i] = -arr[i];
    }
}
