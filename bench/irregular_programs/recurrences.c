#include <stddef.h>
#include <stdint.h>

/* Linear recurrences: each cell needs the one, or the few, before it. */

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void ema(int n, double alpha, const double *x, double *y) {
    double h = x[0];
    for (int i = 0; i < n; i++) {
        h = alpha * x[i] + (1 - alpha) * h;
        y[i] = h;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void linear(int n, double h0, const double *a, const double *b, double *h) {
    double s = h0;
    for (int t = 0; t < n; t++) {
        s = a[t] * s + b[t];
        h[t] = s;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void one_pole(size_t n, float *buf, float a0, float b1, float *state) {
    float z = *state;
    for (size_t i = 0; i < n; i++) {
        z = buf[i] * a0 + z * b1;
        buf[i] = z;
    }
    *state = z;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void second_order(int n, double p, double q, const double *x, double *y) {
    y[0] = x[0];
    y[1] = x[1];
    for (int i = 2; i < n; i++)
        y[i] = p * y[i - 1] - q * y[i - 2] + x[i];
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void rotate(int n, double c, double s, double *re, double *im) {
    double u = 1.0, v = 0.0;
    for (int k = 0; k < n; k++) {
        re[k] = u;
        im[k] = v;
        double w = u * c - v * s;
        v = u * s + v * c;
        u = w;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void every_other(int n, double *a, const double *b) {
    for (int i = 2; i < n; i++)
        a[i] = a[i - 2] * 0.5 + b[i];
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
void two_lanes(int n, double *a, const double *b) {
    for (int i = 2; i < n; i++)
        a[i] = a[i - 2] + b[i];
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void down_columns(int m, int n, const double A[m][n], double B[m][n]) {
    for (int j = 0; j < n; j++) {
        B[0][j] = A[0][j];
        for (int i = 1; i < m; i++)
            B[i][j] = 0.9 * B[i - 1][j] + A[i][j];
    }
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void along_rows(int m, int n, const double A[m][n], double B[m][n]) {
    for (int i = 0; i < m; i++) {
        double h = 0.0;
        for (int j = 0; j < n; j++) {
            h = 0.5 * h + A[i][j];
            B[i][j] = h;
        }
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void backwards(int n, double g, const double *reward, double *ret) {
    double r = 0.0;
    for (int t = n - 1; t >= 0; t--) {
        r = reward[t] + g * r;
        ret[t] = r;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
double horner(int n, const double *c, double x) {
    double s = 0.0;
    for (int i = n - 1; i >= 0; --i)
        s = s * x + c[i];
    return s;
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void thomas(int n, const double *a, const double *b, double *c, double *d) {
    c[0] = c[0] / b[0];
    d[0] = d[0] / b[0];
    for (int i = 1; i < n; i++) {
        double w = b[i] - a[i] * c[i - 1];
        c[i] = c[i] / w;
        d[i] = (d[i] - a[i] * d[i - 1]) / w;
    }
    for (int i = n - 2; i >= 0; i--)
        d[i] = d[i] - c[i] * d[i + 1];
}

// expect: numpy hybrid, jax hybrid, torch hybrid, stablehlo hybrid, linalg hybrid, c hybrid
void states(int steps, int m, const double W[m][m], const double *U, double *h, double *next, double *H) {
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < m; i++) {
            double s = U[t * m + i];
            for (int j = 0; j < m; j++)
                s += W[i][j] * h[j];
            next[i] = s;
        }
        for (int i = 0; i < m; i++) {
            h[i] = next[i];
            H[t * m + i] = next[i];
        }
    }
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
void interleaved_phases(int n, int *phase, const int *increment) {
    for (int i = 3; i < n; i++)
        phase[i] = phase[i - 3] + increment[i];
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c hybrid
void interleaved_gains(int frames, float gain[2 * frames], const float ratio[2 * frames]) {
    for (int i = 2; i < 2 * frames; i++)
        gain[i] = gain[i - 2] * ratio[i];
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void seasonal_totals(int n, double *total, const double *change) {
    for (int i = n - 5; i >= 0; i--)
        total[i] = total[i + 4] - change[i];
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
void column_lag(int m, int n, double T[m][n], const double X[m][n]) {
    for (int i = 0; i < m; i++)
        for (int j = 2; j < n; j++)
            T[i][j] = T[i][j - 2] + X[i][j];
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
void alternating_sums(int n, const double *x, double *t) {
    t[0] = x[0];
    for (int i = 1; i < n; i++)
        t[i] = x[i] - t[i - 1];
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg hybrid, c hybrid
void midpoint_slopes(int n, const float *y, float h, float *slope) {
    for (int i = 1; i < n; i++)
        slope[i] = 2.0f * (y[i] - y[i - 1]) / h - slope[i - 1];
}

// expect: numpy scan, jax scan, torch scan, stablehlo hybrid, linalg scan, c scan
void below_diagonal(int n, double L[n][n], const double X[n][n]) {
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            L[i][j] = L[i - 1][j] + X[i][j];
}

// expect: numpy unchanged, jax hybrid, torch refused TL307, stablehlo hybrid, linalg hybrid, c hybrid
void random_weights(float *w, size_t n, float scale, uint64_t *rng) {
    for (size_t i = 0; i < n; i++) {
        *rng ^= *rng >> 12;
        *rng ^= *rng << 25;
        *rng ^= *rng >> 27;
        w[i] = (((uint32_t)((*rng * 0x2545F4914F6CDD1Dull) >> 32) >> 8) / 16777216.0f - 0.5f) * scale;
    }
}
