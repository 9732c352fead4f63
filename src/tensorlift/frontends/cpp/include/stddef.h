// <stddef.h> for C++, where the null pointer is no `void *` and `wchar_t` is a keyword.
#ifndef TENSORLIFT_STDDEF_H
#define TENSORLIFT_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
