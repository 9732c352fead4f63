// fir_small: s = sum_i input(i) * coefficient(i).
int fir_small(int NTAPS, int *input, int *coefficient) {
    int i;
    int sum = 0;
    for (i = 0; i < NTAPS; ++i) {
        sum += input[i] * coefficient[i];
    }
    return sum;
}
