// Scale a matrix: a structure that holds a table of row pointers.
typedef struct matrix {
    int rows, cols;
    int **vals;
} matrix;

void scale_matrix_int(matrix m, int scale) {
    for (int i = 0; i < m.rows; ++i)
        for (int j = 0; j < m.cols; ++j)
            m.vals[i][j] *= scale;
}
