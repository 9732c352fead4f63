// expect: hybrid
// A moving average of which the first value has nothing before it.
void exponential_smoothing(int n, double y[n], const double x[n], double a)
{
  for (int i = 0; i < n; i++) {
    if (i == 0)
      y[i] = x[i];
    else
      y[i] = a * x[i] + (1 - a) * y[i - 1];
  }
}
