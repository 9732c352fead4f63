// expect: loop-free
// Extents known as constants.
#define ROWS 30
#define COLS 20
void fixed_extents(double a[ROWS][COLS], double o[COLS]) {
    for (int j = 0; j < COLS; j++) {
        o[j] = 0.0;
        for (int i = 0; i < ROWS; i++)
            o[j] += a[i][j];
    }
}
