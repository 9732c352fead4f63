// expect: loop-free
// Rectifier in place.
void relu_in_place(float *x, int n) {
    int i;
    for (i = 0; i < n; ++i)
        if (x[i] < 0)
            x[i] = 0;
}
