// voffset: arr'(i) = arr(i) + v.
void voffset(int *arr, int v, int n) {
    for (int i = 0; i < n; ++i) {
        arr[i] += v;
    }
}
