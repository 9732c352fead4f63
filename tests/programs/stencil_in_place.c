// expect: hybrid
// Three-point mean in place: the left neighbour is new.
void stencil_in_place(int n, double a[n]) {
    for (int i = 1; i < n - 1; i++)
        a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
}
