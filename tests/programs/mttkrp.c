// expect: loop-free
// Matricised tensor times Khatri-Rao product.
void mttkrp(int ni, int nj, int nk, int nl, double B[ni][nk][nl], double C[nk][nj], double D[nl][nj],
            double A[ni][nj]) {
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            A[i][j] = 0.0;
            for (int k = 0; k < nk; k++)
                for (int l = 0; l < nl; l++)
                    A[i][j] += B[i][k][l] * C[k][j] * D[l][j];
        }
}
