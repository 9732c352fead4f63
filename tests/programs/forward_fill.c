// expect: scan
// What is missing takes the value before it.
#include <math.h>

void forward_fill(int n, double x[n])
{
  for (int i = 0; i < n; i++)
    if (i > 0 && isnan(x[i]))
      x[i] = x[i - 1];
}
