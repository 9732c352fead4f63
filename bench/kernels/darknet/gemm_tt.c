// gemm_tt: C'(i,j) = C(i,j) + sum_k ALPHA * A(k,i) * B(j,k).
void gemm_tt(int M, int N, int K, int ALPHA, int *A, int lda, int *B, int ldb, int *C, int ldc) {
    int i, j, k;
#pragma omp parallel for
    for (i = 0; i < M; ++i) {
        for (j = 0; j < N; ++j) {
            int sum = 0;
            for (k = 0; k < K; ++k) {
                sum += ALPHA * A[i + k * lda] * B[k + j * ldb];
            }
            C[i * ldc + j] += sum;
        }
    }
}
