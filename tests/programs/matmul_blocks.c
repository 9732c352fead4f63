// expect: loop-free
// A product of matrices that consist of blocks of 32 by 32.
void matmul_blocks(int blocks, const double *a, const double *b, double *c) {
    int n = blocks * 32;
    for (int ib = 0; ib < blocks; ib++)
        for (int jb = 0; jb < blocks; jb++)
            for (int kb = 0; kb < blocks; kb++)
                for (int i = 0; i < 32; i++)
                    for (int j = 0; j < 32; j++) {
                        double s = 0;
                        for (int k = 0; k < 32; k++)
                            s += a[(ib * 32 + i) * n + kb * 32 + k] * b[(kb * 32 + k) * n + jb * 32 + j];
                        c[(ib * 32 + i) * n + jb * 32 + j] += s;
                    }
}
