// vrecip: arr'(i) = tdiv(1, arr(i)), arr nonzero.
void vrecip(int *arr, int n) {
    for (int i = 0; i < n; ++i) {
        arr[i] = 1 / arr[i];
    }
}
