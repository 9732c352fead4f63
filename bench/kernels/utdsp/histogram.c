// histogram: histogram'(i) = 0, the clearing loop alone.
void histogram_f(int L, int *histogram) {
    int i;
    for (i = 0; i < L; i++) {
        histogram[i] = 0;
    }
}
