/* What C says of <assert.h>: nothing is checked where NDEBUG is defined, else the program ends. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assert_fail("", "", 0, ""))
#endif
#define static_assert _Static_assert
#ifndef TENSORLIFT_ASSERT_H
#define TENSORLIFT_ASSERT_H
#ifdef __cplusplus
extern "C" {
#endif
void __assert_fail(const char *, const char *, unsigned int, const char *);
#ifdef __cplusplus
}
#endif
#endif
