// vfill: arr'(i) = v.
void vfill(int *arr, int v, int n) {
    for (int i = 0; i < n; ++i) {
        arr[i] = v;
    }
}
