/* Historic name of the allocation functions. */
#include <stdlib.h>
