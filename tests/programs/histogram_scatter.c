// expect: refused
// F38: cells chosen by data are counted up.
void histogram_scatter(int n, const int *bin, int *count) {
    for (int i = 0; i < n; i++)
        count[bin[i]]++;
}
