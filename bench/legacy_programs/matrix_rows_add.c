// expect: loop-free
// Sum of two matrices held as tables of row pointers.
void matrix_rows_add(int rows, int cols, double **a, double **b, double **c) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            c[i][j] = a[i][j] + b[i][j];
}
