/* Enough of <unistd.h> for the code around kernels to parse. */
#ifndef TENSORLIFT_UNISTD_H
#define TENSORLIFT_UNISTD_H
#include <sys/types.h>
int usleep(unsigned int);
unsigned int sleep(unsigned int);
long sysconf(int);
pid_t getpid(void);
#endif
