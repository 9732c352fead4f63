// Running totals: total[i] becomes the sum of x[0] .. x[i].
void prefix_sum(int n, const double *x, double *total) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        total[i] = sum;
    }
}
