// expect: loop-free
// Arrays at file scope.
static double left[100], right[100];
void global_arrays(int n) {
    for (int i = 0; i < n; i++)
        left[i] = 3.0 * right[i];
}
