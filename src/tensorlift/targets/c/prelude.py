"""Fixed text around programs in C, which the checker compares word by word."""

from __future__ import annotations

ORIGINAL = "_original"  # behind the name of the source: the function as it was
PROGRAM = "_lifted"  # behind the name of the source: the program

APART = (
    "#ifndef TENSORLIFT_APART",
    "#define TENSORLIFT_APART",
    "static int apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)",
    "{",
    "  return (uintptr_t)a + a_bytes <= (uintptr_t)b || (uintptr_t)b + b_bytes <= (uintptr_t)a;",
    "}",
    "#endif",
)
CBLAS = "cblas.h"
HEADERS = ("limits.h", "math.h", "stddef.h", "stdint.h", "stdlib.h")  # of a program and the function around it
OWN_HEADERS = ("math.h", "stddef.h")  # of a program alone
