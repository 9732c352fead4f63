// expect: numpy loop-free, jax loop-free, torch loop-free, stablehlo refused TL209, linalg refused TL209, c refused TL209
void permute(int n, const int *restrict order, const double *restrict values, double *restrict sorted)
{
    for (int i = 0; i < n; i++)
        sorted[i] = values[order[i]];
}
