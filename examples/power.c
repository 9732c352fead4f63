// The largest eigenvalue of a matrix, by power iteration.
#include <math.h>
#include <stdio.h>

#define N 64

static double matrix[N][N];

int main(void)
{
  double x[N], y[N], value = 0;
  int i, j;

  for (i = 0; i < N; i++) {
    x[i] = 1;
    for (j = 0; j < N; j++)
      matrix[i][j] = i == j ? 2 : 1.0 / (i + j + 1);
  }
  for (int step = 1; step <= 3; step++) {
    for (i = 0; i < N; i++) {   /* one product */
      y[i] = 0;
      for (j = 0; j < N; j++)
        y[i] += matrix[i][j] * x[j];
    }
    value = 0;
    for (i = 0; i < N; i++)
      value += y[i] * y[i];
    value = sqrt(value);
    for (i = 0; i < N; i++)
      x[i] = y[i] / value;
    printf("step %d: %.6f\n", step, value);
  }
  return 0;
}
