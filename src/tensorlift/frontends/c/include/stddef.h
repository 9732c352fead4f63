/* Types and macros of <stddef.h> that loop code uses. */
#ifndef TENSORLIFT_STDDEF_H
#define TENSORLIFT_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __WCHAR_TYPE__ wchar_t;
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
