// gemm_nt: C'(i,j) = C(i,j) + sum_k ALPHA * A(i,k) * B(j,k).
void gemm_nt(int M, int N, int K, int ALPHA, int *A, int lda, int *B, int ldb, int *C, int ldc) {
    int i, j, k;
#pragma omp parallel for
    for (i = 0; i < M; ++i) {
        for (j = 0; j < N; ++j) {
            int sum = 0;
            for (k = 0; k < K; ++k) {
                sum += ALPHA * A[i * lda + k] * B[j * ldb + k];
            }
            C[i * ldc + j] += sum;
        }
    }
}
