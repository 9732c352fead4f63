// expect: loop-free
// A loop with step two whose cells and values are one place further.
void every_other_cell(int n, const double u[n], double b[n]) {
    for (int i = 1; i < n - 1; i += 2)
        b[i + 1] = i * u[i + 1];
}
