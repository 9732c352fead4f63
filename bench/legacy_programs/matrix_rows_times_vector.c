// expect: loop-free
// Matrix times vector, a local pointer for each row.
void matrix_rows_times_vector(int rows, int cols, float **m, const float *v, float *out) {
    for (int i = 0; i < rows; i++) {
        const float *row = m[i];
        float s = 0;
        for (int j = 0; j < cols; j++)
            s += row[j] * v[j];
        out[i] = s;
    }
}
