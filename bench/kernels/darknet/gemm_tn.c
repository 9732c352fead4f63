// gemm_tn: C'(i,j) = C(i,j) + sum_k (ALPHA * A(k,i)) * B(k,j).
void gemm_tn(int M, int N, int K, int ALPHA, int *A, int lda, int *B, int ldb, int *C, int ldc) {
    int i, j, k;
#pragma omp parallel for
    for (i = 0; i < M; ++i) {
        for (k = 0; k < K; ++k) {
            register int scaled = ALPHA * A[k * lda + i];
            for (j = 0; j < N; ++j) {
                C[i * ldc + j] += scaled * B[k * ldb + j];
            }
        }
    }
}
