// expect: loop-free
// Transpose from one structure into another.
typedef struct {
    int rows, cols;
    double *data;
} matrix;

void matrix_struct_transpose(matrix src, matrix dst) {
    for (int i = 0; i < src.rows; i++)
        for (int j = 0; j < src.cols; j++)
            dst.data[j * src.rows + i] = src.data[i * src.cols + j];
}
