// expect: loop-free
// Two unsigned counters move towards each other until they meet.
void unsigned_ends_meet(unsigned n, int *a) {
    for (unsigned i = 0, j = n - 1; i < j; i++, j--) {
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}
