// gemv: y'(i) = sum_j A(i,j) * x(j).
void gemv(int M, int N, int *A, int *x, int *y) {
    for (int i = 0; i < M; ++i) {
        int sum = 0;
        for (int j = 0; j < N; ++j) {
            sum += A[i * N + j] * x[j];
        }
        y[i] = sum;
    }
}
