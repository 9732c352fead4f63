// expect: loop-free
// Attention to the past only: triangular softmax, upper triangle untouched.
#include <math.h>

void causal_attention(int t, int d, double scale, double q[t][d], double k[t][d], double v[t][d], double p[t][t],
                      double o[t][d]) {
    for (int i = 0; i < t; i++) {
        for (int j = 0; j <= i; j++) {
            double s = 0.0;
            for (int c = 0; c < d; c++)
                s += q[i][c] * k[j][c];
            p[i][j] = s * scale;
        }
        double m = p[i][0];
        for (int j = 1; j <= i; j++)
            m = fmax(m, p[i][j]);
        double z = 0.0;
        for (int j = 0; j <= i; j++) {
            p[i][j] = exp(p[i][j] - m);
            z += p[i][j];
        }
        for (int c = 0; c < d; c++) {
            double a = 0.0;
            for (int j = 0; j <= i; j++)
                a += p[i][j] * v[j][c];
            o[i][c] = a / z;
        }
    }
}
