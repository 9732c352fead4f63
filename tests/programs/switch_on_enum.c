// expect: loop-free
// Sum, maximum or count of a vector by a mode of an enumeration.
enum fold { FOLD_SUM, FOLD_MAX, FOLD_COUNT };

double switch_on_enum(int n, enum fold mode, const double *a) {
    double r = 0.0;
    switch (mode) {
    case FOLD_SUM:
        for (int i = 0; i < n; i++)
            r += a[i];
        break;
    case FOLD_MAX:
        for (int i = 0; i < n; i++)
            if (a[i] > r)
                r = a[i];
        break;
    case FOLD_COUNT:
        for (int i = 0; i < n; i++)
            if (a[i] != 0.0)
                r += 1.0;
        break;
    }
    return r;
}
