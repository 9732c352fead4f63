// expect: refused
// Passes of exchanges until one of them exchanges nothing.
void flag_until_sorted(int n, int *a) {
    int swapped = 1;
    while (swapped) {
        swapped = 0;
        for (int i = 1; i < n; i++) {
            if (a[i - 1] > a[i]) {
                int t = a[i];
                a[i] = a[i - 1];
                a[i - 1] = t;
                swapped = 1;
            }
        }
    }
}
