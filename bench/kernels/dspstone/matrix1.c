// Matrix product of column-stored factors: C(k,i) = sum of A(i,f) * B(k,f), all through walking pointers.
void matrix1(int X, int Y, int Z, const int *A, const int *B, int *C) {
    int *p_C = C;
    for (int k = 0; k < Z; k++) {
        const int *p_A = A;
        for (int i = 0; i < X; i++) {
            const int *p_B = &B[k * Y];
            *p_C = 0;
            for (int f = 0; f < Y; f++)
                *p_C += *p_A++ * *p_B++;
            p_C++;
        }
    }
}
