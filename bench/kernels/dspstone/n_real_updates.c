// D = C + A * B, element by element, through four walking pointers.
void n_real_updates(int N, const int *A, const int *B, const int *C, int *D) {
    const int *p_a = A, *p_b = B, *p_c = C;
    int *p_d = D;
    for (int i = 0; i < N; i++)
        *p_d++ = *p_c++ + *p_a++ * *p_b++;
}
