// expect: loop-free
// Elementwise product by a `do` that counts up, for one element or more.
void do_counts_up(int n, float *a, const float *b) {
    int i = 0;
    do {
        a[i] *= b[i];
        i++;
    } while (i < n);
}
