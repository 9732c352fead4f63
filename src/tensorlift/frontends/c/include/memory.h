/* Historic name of <string.h>. */
#include <string.h>
