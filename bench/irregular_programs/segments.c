// Bounds that depend on data: sparse matrices, ragged rows, batches padded to one length.
#include <math.h>
#include <stddef.h>

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void spmv(int n, const int *ptr, const int *col, const double *val, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int p = ptr[i]; p < ptr[i + 1]; p++) s += val[p] * x[col[p]];
        y[i] = s;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void spmv_add(long rows, const long *restrict start, const long *restrict index, const float *restrict a,
              const float *restrict v, float *restrict out) {
    for (long r = 0; r < rows; ++r) {
        const long end = start[r + 1];
        for (long k = start[r]; k < end; ++k) out[r] += a[k] * v[index[k]];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void spmm(int n, int k, const int *ptr, const int *col, const double *val, const double X[][k], double Y[][k]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < k; j++) Y[i][j] = 0;
        for (int p = ptr[i]; p < ptr[i + 1]; p++)
            for (int j = 0; j < k; j++) Y[i][j] += val[p] * X[col[p]][j];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void row_sums(int n, const int *offsets, const double *values, double *sums) {
    for (int i = 0; i < n; i++) {
        sums[i] = 0.0;
        for (int j = offsets[i]; j < offsets[i + 1]; j++) sums[i] += values[j];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void row_means(int n, const int *offsets, const double *values, double *means) {
    for (int i = 0; i < n; i++) {
        int lo = offsets[i], hi = offsets[i + 1];
        double total = 0.0;
        for (int j = lo; j < hi; j++) total += values[j];
        means[i] = hi > lo ? total / (hi - lo) : 0.0;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void row_max(int n, const int *offsets, const double *values, double *most) {
    for (int i = 0; i < n; i++) {
        double m = -INFINITY;
        for (int j = offsets[i]; j < offsets[i + 1]; j++)
            if (values[j] > m) m = values[j];
        most[i] = m;
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void row_norms(size_t n, const int *ptr, const double *val, double *norm) {
    for (size_t i = 0; i < n; i++) {
        double s = 0;
        int p = ptr[i];
        while (p < ptr[i + 1]) {
            s += val[p] * val[p];
            p++;
        }
        norm[i] = sqrt(s);
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void padded_sums(int n, int m, const int *len, const double a[n][m], double *s) {
    for (int i = 0; i < n; i++) {
        s[i] = 0;
        for (int j = 0; j < len[i]; j++) s[i] += a[i][j];
    }
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void mask_batch(int n, int m, const int *len, double *a) {
    for (int b = 0; b < n; b++)
        for (int t = 0; t < len[b]; t++) a[b * m + t] *= 2.0;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c hybrid
double first_cells(const int *count, const double *x) {
    int n = *count;
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo loop-free, linalg loop-free, c loop-free
void scale_first(const long *sizes, double *x, double by) {
    long m = sizes[0];
    for (long i = 0; i < m; i++) x[i] *= by;
}

// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void row_counts(int n, const int *ptr, const int *flag, int *count) {
    for (int i = 0; i < n; i++) {
        int c = 0;
        for (int p = ptr[i]; p < ptr[i + 1]; p++)
            if (flag[p] != 0) c++;
        count[i] = c;
    }
}

// The pattern of a row, by rows that start anywhere.
// expect: numpy refused TL315, jax loop-free, torch loop-free, stablehlo hybrid, linalg hybrid, c loop-free
void from_starts(int n, const int *start, const int *stop, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = start[i]; k < stop[i]; k++) s += x[k];
        y[i] = s;
    }
}

// expect: numpy refused TL315, jax refused TL315, torch refused TL315, stablehlo refused TL315, linalg refused TL315, c loop-free
void spmv_csc(int n, int m, const int *ptr, const int *row, const double *val, const double *x, double *y) {
    for (int i = 0; i < m; i++) y[i] = 0;
    for (int j = 0; j < n; j++)
        for (int p = ptr[j]; p < ptr[j + 1]; p++) y[row[p]] += val[p] * x[j];
}

// expect: numpy loop-free, jax refused TL315, torch loop-free, stablehlo refused TL315, linalg refused TL315, c loop-free
void scale_rows(int n, const int *ptr, const double *by, double *val) {
    for (int i = 0; i < n; i++)
        for (int p = ptr[i]; p < ptr[i + 1]; p++) val[p] *= by[i];
}

// expect: numpy refused TL208, jax refused TL208, torch refused TL208, stablehlo refused TL208, linalg refused TL208, c refused TL208
void window_sums(int n, const int *back, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = i - back[i]; j <= i; j++) s += x[j];
        y[i] = s;
    }
}

// expect: numpy unchanged, jax hybrid, torch unchanged, stablehlo hybrid, linalg hybrid, c hybrid
void ragged_offsets(int n, const int *off, const int *len, const double *a, double *s) {
    for (int i = 0; i < n; i++) {
        double t = 0;
        for (int j = 0; j < len[i]; j++) t += a[off[i] + j];
        s[i] = t;
    }
}
