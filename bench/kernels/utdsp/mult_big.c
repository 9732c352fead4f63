// mult_big: c'(i,j) = sum over k in [0,B_ROW) of a(i,k) * b(k,j), i in [0,A_ROW), j in [0,B_COL).
void mult(int A_ROW, int A_COL, int B_ROW, int B_COL, int C_ROW, int C_COL, int a[A_ROW][A_COL], int b[B_ROW][B_COL],
          int c[C_ROW][C_COL]) {
    int i, j, k;
    int sum;
    for (i = 0; i < A_ROW; i++) {
        for (j = 0; j < B_COL; j++) {
            sum = 0;
            for (k = 0; k < B_ROW; ++k) {
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
    }
}
