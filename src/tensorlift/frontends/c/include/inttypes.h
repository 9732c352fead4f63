/* Format macros are not needed to read loops; the integer types are. */
#ifndef TENSORLIFT_INTTYPES_H
#define TENSORLIFT_INTTYPES_H
#include <stdint.h>
#define PRId32 "d"
#define PRIu32 "u"
#define PRId64 "ld"
#define PRIu64 "lu"
#endif
