/* Historic names of memory functions. */
#include <string.h>
