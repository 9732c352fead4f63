// vscal: arr'(i) = arr(i) * v.
void vscal(int *arr, int v, int n) {
    for (int i = 0; i < n; ++i) {
        arr[i] *= v;
    }
}
