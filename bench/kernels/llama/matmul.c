// matmul: out'(i) = sum_j weight(i,j) * input(j).
// Plain C form of a kernel on std::vector.
void matmul(int *weight, int *input, int *out, int m, int n) {
    for (int row = 0; row < m; row++) {
        int sum = 0;
        for (int col = 0; col < n; col++) {
            sum += weight[row * n + col] * input[col];
        }
        out[row] = sum;
    }
}
