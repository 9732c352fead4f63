// expect: loop-free
// Column sums of a square global matrix.
#define LEN2 32
static float aa[LEN2][LEN2], sums[LEN2];

void suite_two_dimensional(void) {
    for (int j = 0; j < LEN2; j++) {
        sums[j] = 0;
        for (int i = 0; i < LEN2; i++)
            sums[j] += aa[i][j];
    }
}
