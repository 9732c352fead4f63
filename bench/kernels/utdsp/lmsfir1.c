// lmsfir1: s = sum_i input(i) * coefficient(i).
int lmsfir1(int NTAPS, int *input, int *coefficient, int gain) {
    int i;
    int sum = 0;
    (void)gain;
    for (i = 0; i < NTAPS; ++i) {
        sum += input[i] * coefficient[i];
    }
    return sum;
}
