// expect: loop-free
// Data behind a member of a struct.
struct matrix {
    int rows, cols;
    double *cells;
};

void struct_member(struct matrix m, double factor) {
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            m.cells[i * m.cols + j] *= factor;
}
