// fourth_in_place: arr'(i) = t^2, t = arr(i)^2.
void fourth_in_place(int *arr, int n) {
    for (int i = 0; i < n; i++) {
        arr[i] = arr[i] * arr[i];
        arr[i] = arr[i] * arr[i];
    }
}
