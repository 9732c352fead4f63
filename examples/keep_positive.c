// Keeps the positive elements, close together, and returns their number: where an element goes is how many were kept.
int keep_positive(int n, const double *x, double *kept) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 0.0) {
            kept[count] = x[i];
            count++;
        }
    }
    return count;
}
