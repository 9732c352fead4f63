// expect: loop-free
// F14: groups whose length does not divide the trip count.
void quotient_of_data(const float *x, float *y, int n, int s) {
    for (int i = 0; i < n; i++)
        y[i] = x[i / s];
}
