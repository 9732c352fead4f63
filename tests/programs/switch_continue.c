// expect: loop-free
// A `continue` in a case leaves the iteration, `break` only the switch.
double switch_continue(int n, const int *kind, const double *v) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double f = 1.0;
        switch (kind[i]) {
        case 0: continue;
        case 1: f = 2.0; break;
        case 2: f = -1.0; break;
        }
        s += f * v[i];
    }
    return s;
}
