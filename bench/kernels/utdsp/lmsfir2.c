// lmsfir2: coefficient'(i) = coefficient(i) + input(i) * error for i in [0,NTAPS-1); the last element stays.
void lmsfir2(int NTAPS, int *input, int *output, int *expected, int *coefficient, int gain, int sum, int error) {
    int i;
    (void)output;
    (void)expected;
    (void)gain;
    (void)sum;
    for (i = 0; i < NTAPS - 1; ++i) {
        coefficient[i] += input[i] * error;
    }
}
