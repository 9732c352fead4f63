// As matrix1, with the first and the last term of the sum peeled; Y is at least 2.
void matrix2(int X, int Y, int Z, const int *A, const int *B, int *C) {
    int *p_C = C;
    for (int k = 0; k < Z; k++) {
        const int *p_A = A;
        for (int i = 0; i < X; i++) {
            const int *p_B = &B[k * Y];
            *p_C = *p_A++ * *p_B++;
            for (int f = 0; f < Y - 2; f++)
                *p_C += *p_A++ * *p_B++;
            *p_C++ += *p_A++ * *p_B;
        }
    }
}
