/* CBLAS: what its real routines compute, as loops that are read in place of a call. */
#ifndef TENSORLIFT_CBLAS_H
#define TENSORLIFT_CBLAS_H
#include <math.h>

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;
typedef CBLAS_LAYOUT CBLAS_ORDER;

#define REAL double
#define SQRT sqrt
#define ABS fabs
#define ROUTINE(name) cblas_d##name
#include "cblas_real.h"
#undef REAL
#undef SQRT
#undef ABS
#undef ROUTINE

#define REAL float
#define SQRT sqrtf
#define ABS fabsf
#define ROUTINE(name) cblas_s##name
#include "cblas_real.h"
#undef REAL
#undef SQRT
#undef ABS
#undef ROUTINE

#endif
