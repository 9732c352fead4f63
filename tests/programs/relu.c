// expect: loop-free
// Masked store with an else.
void relu(int n, const double *a, double *o) {
    for (int i = 0; i < n; i++) {
        if (a[i] > 0.0)
            o[i] = a[i];
        else
            o[i] = 0.0;
    }
}
