/* Macros in the manner of PolyBench: sizes as parameters of C99 prototypes, or constants with POLYBENCH_FIXED_SIZES. */
#ifndef POLYBENCH_H
#define POLYBENCH_H

#include <math.h>

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

#define DATA_TYPE double
#define SCALAR_VAL(x) x
#define SQRT_FUN(x) sqrt(x)

#ifdef POLYBENCH_FIXED_SIZES
#define M 20
#define N 24
#define NI 16
#define NJ 18
#define NK 22
#define TSTEPS 4
#define POLYBENCH_SIZE(constant, variable) constant
#else
#define POLYBENCH_SIZE(constant, variable) variable
#endif

#define POLYBENCH_1D(name, D1, d1) name[POLYBENCH_SIZE(D1, d1)]
#define POLYBENCH_2D(name, D1, D2, d1, d2) name[POLYBENCH_SIZE(D1, d1)][POLYBENCH_SIZE(D2, d2)]

#define _PB_M POLYBENCH_SIZE(M, m)
#define _PB_N POLYBENCH_SIZE(N, n)
#define _PB_NI POLYBENCH_SIZE(NI, ni)
#define _PB_NJ POLYBENCH_SIZE(NJ, nj)
#define _PB_NK POLYBENCH_SIZE(NK, nk)
#define _PB_TSTEPS POLYBENCH_SIZE(TSTEPS, tsteps)

#endif
