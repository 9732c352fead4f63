// expect: refused
// Two pointers of which nothing says that they point into one array.
double sum_between(const double *first, const double *last) {
    double sum = 0;
    for (; first < last; ++first) sum += *first;
    return sum;
}
