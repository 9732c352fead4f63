// matmul: C'(i,j) = sum_k A(i,k) * B(k,j).
void matmul(int *matA, int *matB, int *matC, int m, int n, int p) {
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < p; ++j) {
            matC[i * p + j] = 0;
            for (int k = 0; k < n; ++k) {
                matC[i * p + j] += matA[i * n + k] * matB[k * p + j];
            }
        }
    }
}
