// expect: loop-free
// F28: place of the first largest element.
int argmax(int n, const double *a) {
    int best = 0;
    double m = a[0];
    for (int i = 1; i < n; i++) {
        if (a[i] > m) {
            m = a[i];
            best = i;
        }
    }
    return best;
}
