/* Scheduling; only the header's name is needed. */
#include <sys/types.h>
