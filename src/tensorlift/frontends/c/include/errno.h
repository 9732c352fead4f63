/* The error number. */
extern int errno;
