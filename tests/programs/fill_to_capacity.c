// expect: scan
// Total of the loads that fit, in order, under a capacity.
long fill_to_capacity(int n, const int *load, long capacity) {
    long total = 0;
    for (int i = 0; i < n; i++) {
        if (total + load[i] > capacity)
            break;
        total += load[i];
    }
    return total;
}
