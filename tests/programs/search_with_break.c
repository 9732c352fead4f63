// expect: loop-free
// F31: the first place that matches.
int search_with_break(int n, const double *p, double t) {
    int found = -1;
    for (int i = 0; i < n; i++) {
        if (p[i] > t) {
            found = i;
            break;
        }
    }
    return found;
}
