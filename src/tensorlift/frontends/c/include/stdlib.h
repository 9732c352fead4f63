/* Enough of <stdlib.h> for the code around kernels to parse. */
#ifndef TENSORLIFT_STDLIB_H
#define TENSORLIFT_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);
int posix_memalign(void **, size_t, size_t);
void free(void *);
_Noreturn void exit(int);
_Noreturn void abort(void);
int abs(int);
long labs(long);
long long llabs(long long);
int rand(void);
void srand(unsigned int);
int atoi(const char *);
long atol(const char *);
double atof(const char *);
double strtod(const char *, char **);
long strtol(const char *, char **, int);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
char *getenv(const char *);
double drand48(void);
#endif
