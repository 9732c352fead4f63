// expect: hybrid
// The maximum and where it is.
float suite_maximum_and_place(int n, const float *a, int *index) {
    float x = a[0];
    *index = 0;
    for (int i = 1; i < n; ++i) {
        if (a[i] > x) {
            x = a[i];
            *index = i;
        }
    }
    return x;
}
