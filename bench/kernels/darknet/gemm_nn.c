// gemm_nn: C'(i,j) = C(i,j) + sum_k (ALPHA * A(i,k)) * B(k,j).
void gemm_nn(int M, int N, int K, int ALPHA, int *A, int lda, int *B, int ldb, int *C, int ldc) {
    int i, j, k;
    for (i = 0; i < M; ++i) {
        for (k = 0; k < K; ++k) {
            register int scaled = ALPHA * A[i * lda + k];
            for (j = 0; j < N; ++j) {
                C[i * ldc + j] += scaled * B[k * ldb + j];
            }
        }
    }
}
