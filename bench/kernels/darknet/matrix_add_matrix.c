// Add a matrix to another: structures that hold a table of row pointers.
typedef struct matrix {
    int rows, cols;
    int **vals;
} matrix;

void matrix_add_matrix(matrix from, matrix to) {
    for (int i = 0; i < from.rows; ++i)
        for (int j = 0; j < from.cols; ++j)
            to.vals[i][j] += from.vals[i][j];
}
