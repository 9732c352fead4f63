/* Variadic functions are refused where they are defined; headers still need the type. */
#ifndef TENSORLIFT_STDARG_H
#define TENSORLIFT_STDARG_H
typedef __builtin_va_list va_list;
#define va_start(list, last) __builtin_va_start(list, last)
#define va_end(list) __builtin_va_end(list)
#define va_arg(list, type) __builtin_va_arg(list, type)
#endif
