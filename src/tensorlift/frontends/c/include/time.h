/* Clocks, for the code around kernels to parse. */
#ifndef TENSORLIFT_TIME_H
#define TENSORLIFT_TIME_H
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
struct timespec { time_t tv_sec; long tv_nsec; };
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_MONOTONIC 1
#define CLOCK_REALTIME 0
time_t time(time_t *);
clock_t clock(void);
double difftime(time_t, time_t);
int clock_gettime(clockid_t, struct timespec *);
#endif
