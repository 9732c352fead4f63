// Enough of <complex.h> for functions to be read: of the functions only those that are read or refused by their name.
#ifndef TENSORLIFT_COMPLEX_H
#define TENSORLIFT_COMPLEX_H
#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
#define TL_OF_BOTH(result, name) double result name(double _Complex); float result name##f(float _Complex); \
  long double result name##l(long double _Complex);
TL_OF_BOTH(, creal) TL_OF_BOTH(, cimag) TL_OF_BOTH(, cabs) TL_OF_BOTH(, carg)
TL_OF_BOTH(_Complex, conj) TL_OF_BOTH(_Complex, cproj) TL_OF_BOTH(_Complex, cexp) TL_OF_BOTH(_Complex, clog)
TL_OF_BOTH(_Complex, csqrt) TL_OF_BOTH(_Complex, csin) TL_OF_BOTH(_Complex, ccos) TL_OF_BOTH(_Complex, ctan)
TL_OF_BOTH(_Complex, casin) TL_OF_BOTH(_Complex, cacos) TL_OF_BOTH(_Complex, catan) TL_OF_BOTH(_Complex, csinh)
TL_OF_BOTH(_Complex, ccosh) TL_OF_BOTH(_Complex, ctanh) TL_OF_BOTH(_Complex, casinh) TL_OF_BOTH(_Complex, cacosh)
TL_OF_BOTH(_Complex, catanh)
#undef TL_OF_BOTH
double _Complex cpow(double _Complex, double _Complex);
float _Complex cpowf(float _Complex, float _Complex);
long double _Complex cpowl(long double _Complex, long double _Complex);
#endif
