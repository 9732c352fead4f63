// Matrix times vector through walking pointers: p_h is never reset, p_x for every row, p_y steps once a row.
void mat1x3(int N, const int *h, const int *x, int *y) {
    const int *p_h = h;
    int *p_y = y;
    for (int i = 0; i < N; i++) {
        const int *p_x = x;
        *p_y = 0;
        for (int f = 0; f < N; f++)
            *p_y += *p_h++ * *p_x++;
        p_y++;
    }
}
