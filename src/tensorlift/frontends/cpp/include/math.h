// <math.h> for C++: what <cmath> declares, without `std::`.
#ifndef TENSORLIFT_CXX_MATH_H
#define TENSORLIFT_CXX_MATH_H
#include <cmath>
using std::abs; using std::isnan; using std::isinf; using std::isfinite; using std::signbit; using std::fma;
using std::acos; using std::asin; using std::atan; using std::cos; using std::sin; using std::tan;
using std::acosh; using std::asinh; using std::atanh; using std::cosh; using std::sinh; using std::tanh;
using std::exp; using std::exp2; using std::expm1; using std::log; using std::log2; using std::log10;
using std::log1p; using std::sqrt; using std::cbrt; using std::fabs; using std::ceil; using std::floor;
using std::trunc; using std::round; using std::rint; using std::nearbyint; using std::erf; using std::erfc;
using std::tgamma; using std::lgamma; using std::logb; using std::atan2; using std::pow; using std::fmod;
using std::remainder; using std::copysign; using std::fmax; using std::fmin; using std::fdim; using std::hypot;
using std::nextafter;
#endif
