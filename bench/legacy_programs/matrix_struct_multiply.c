// expect: loop-free
// Matrix product on structures with sizes and data pointers.
typedef struct {
    unsigned short rows;
    unsigned short cols;
    float *data;
} matrix_f32;

void matrix_struct_multiply(const matrix_f32 *a, const matrix_f32 *b, matrix_f32 *c) {
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->cols; j++) {
            float sum = 0.0f;
            for (int k = 0; k < a->cols; k++)
                sum += a->data[i * a->cols + k] * b->data[k * b->cols + j];
            c->data[i * b->cols + j] = sum;
        }
}
