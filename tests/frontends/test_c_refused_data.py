"""Pointers, types, objects and calls outside the subset are refused with code, place and remedy."""

from __future__ import annotations

import pytest
from tests.frontends.refused import Refused, check

from tensorlift.diagnostics import Location
from tensorlift.languages.c import read_c
from tensorlift.refusals import REFUSALS

CASES = [
    Refused(
        "tables of tables",
        "TL138",
        1,
        25,
        "void f(int n, double ***a) {\n  a[0][0][0] = n;\n}\n",
    ),
    Refused(
        "rows exchanged",
        "TL138",
        3,
        3,
        "void f(double **a) {\n  double *t = a[0];\n  a[0] = a[1];\n  a[1] = t;\n}\n",
    ),
    Refused(
        "alias ptr swap",
        "TL137",
        6,
        5,
        "void f(int n, double *a, double *b) {\n"
        "  for (int i = 0; i < n; i++) {\n"
        "    double *t = a;\n"
        "    a = b;\n"
        "    b = t;\n"
        "    a[0] = 1;\n"
        "  }\n"
        "}\n",
    ),
    Refused(
        "ptr cond",
        "TL136",
        2,
        15,
        "void f(int n, double *a, double *b) {\n  double *p = n > 3 ? a : b;\n  p[0] = 1;\n}\n",
    ),
    Refused(
        "pointers of two arrays",
        "TL136",
        1,
        69,
        "double f(const double *a, const double *end) { double s = 0; for (; a < end; a++) s += *a; return s; }\n",
    ),
    Refused(
        "pointer and bound in two arrays",
        "TL136",
        3,
        26,
        "void f(int n, double a[n][n], double b[n][n]) {\n  double *end = b[0] + n;\n"
        "  for (double *p = a[0]; p < end; p++) *p = 1;\n}\n",
    ),
    Refused(
        "array without elements",
        "TL161",
        1,
        14,
        "static float a[4][0];\nvoid f(int n) {\n  for (int i = 4; i < n; i++) a[i][0] = 1;\n}\n",
    ),
    Refused(
        "extent of each iteration",
        "TL135",
        3,
        14,
        "void f(int n, double *a) {\n  for (int i = 1; i < n; i++) {\n    double t[i];\n    a[i] = t[0] = i;\n  }\n}\n",
    ),
    Refused("pointer returned", "TL136", 1, 24, "double *f(double *a) { return a + 1; }\n"),
    Refused(
        "place returned",
        "TL136",
        3,
        3,
        "int *f(int n, int *a) {\n  for (int i = 0; i < n; i++) a[i] = 0;\n  return a + n;\n}\n",
    ),
    Refused(
        "reinterpret",
        "TL136",
        2,
        21,
        "void f(int n, double *a) {\n  long *p = (long *)a;\n  p[0] = n;\n}\n",
    ),
    Refused(
        "address of a member",
        "TL139",
        5,
        8,
        "struct s { double x; };\nstatic void g(double *p) { *p = 1; }\nvoid f(double *a) {\n"
        "  struct s t;\n  g(&t.x);\n  a[0] = t.x;\n}\n",
    ),
    Refused(
        "pointer to one of two structures",
        "TL140",
        4,
        3,
        "struct s { int n; double v; };\nvoid f(struct s *x, struct s *y) {\n  struct s *p = x;\n  p = y;\n}\n",
    ),
    Refused(
        "union",
        "TL140",
        3,
        6,
        "union u { int n; double v; };\nvoid f(union u *x) {\n  x->v = 1;\n}\n",
    ),
    Refused(
        "function pointer",
        "TL141",
        1,
        19,
        "double f(double (*g)(double), double x) {\n  return g(x);\n}\n",
    ),
    Refused(
        "long double",
        "TL142",
        1,
        13,
        "long double f(long double x) {\n  return x;\n}\n",
    ),
    Refused(
        "local long double",
        "TL142",
        2,
        15,
        "double f(double x) {\n  long double y = x;\n  return y;\n}\n",
    ),
    Refused(
        "complex",
        "TL143",
        1,
        23,
        "double f(int _Complex z) {\n  return 0;\n}\n",
    ),
    Refused(
        "volatile",
        "TL144",
        1,
        22,
        "void f(volatile int *p) {\n  *p = 1;\n}\n",
    ),
    Refused(
        "void ptr",
        "TL145",
        1,
        14,
        "void f(void *p) {\n}\n",
    ),
    Refused(
        "int128",
        "TL145",
        1,
        17,
        "void f(__int128 x) {\n}\n",
    ),
    Refused(
        "global that is written and steers",
        "TL165",
        1,
        5,
        "int count;\nvoid f(double *a) {\n  count++;\n  a[count] = 1;\n}\n",
    ),
    Refused(
        "global pointer that is moved",
        "TL146",
        3,
        3,
        "double *t;\nvoid f(double *a) {\n  t++;\n  a[0] = t[0];\n}\n",
    ),
    Refused(
        "static local",
        "TL147",
        2,
        14,
        "int f(void) {\n  static int calls;\n  return ++calls;\n}\n",
    ),
    Refused(
        "string literal to an unknown function",
        "TL150",
        3,
        3,
        'void g(const char *s);\nvoid f(void) {\n  g("x");\n}\n',
    ),
    Refused(
        "unknown call",
        "TL150",
        3,
        10,
        "double g(double);\ndouble f(double x) {\n  return g(x);\n}\n",
    ),
    Refused(
        "aligned_alloc",
        "TL151",
        3,
        15,
        "#include <stdlib.h>\n"
        "void f(int n, double *a) {\n"
        "  double *t = aligned_alloc(64, n * sizeof(double));\n"
        "  a[0] = t[0];\n"
        "}\n",
    ),
    Refused(
        "printf",
        "TL152",
        3,
        3,
        '#include <stdio.h>\nvoid f(double *a) {\n  printf("%f", a[0]);\n}\n',
    ),
    Refused(
        "variadic",
        "TL153",
        1,
        8,
        "double f(int n, ...) {\n  return n;\n}\n",
    ),
    Refused(
        "asm",
        "TL154",
        2,
        3,
        'void f(double *a) {\n  __asm__("nop");\n  a[0] = 1;\n}\n',
    ),
    Refused(
        "undefined order of side effects",
        "TL155",
        3,
        11,
        "void f(int n, int *a) {\n  int i = 0;\n  a[i] = i++ + i++;\n}\n",
    ),
    Refused(
        "memset",
        "TL158",
        3,
        3,
        "#include <string.h>\nvoid f(int n, double *a) {\n  memset(a, 1, n * sizeof(double));\n}\n",
    ),
    Refused(
        "memmove of half an element",
        "TL158",
        3,
        3,
        "#include <string.h>\nvoid f(int n, int *a) {\n  memmove(a + 1, a, 2 * n);\n}\n",
    ),
    Refused(
        "memcpy of a part of an element",
        "TL158",
        4,
        3,
        "#include <string.h>\nvoid f(int n, int *a, int *b) {\n  unsigned long size = n * sizeof(int) + 1;\n"
        "  memcpy(a, b, size);\n}\n",
    ),
    Refused(
        "uninit index",
        "TL160",
        3,
        5,
        "void f(int n, double *a) {\n  int k;\n  a[k] = n;\n}\n",
    ),
    Refused(
        "statement expression",
        "TL156",
        2,
        10,
        "int f(int n) {\n  return ({ int t = n; t; });\n}\n",
    ),
    Refused(
        "compound literal",
        "TL156",
        2,
        11,
        "double f(void) {\n  return ((double[]){1, 2})[0];\n}\n",
    ),
    Refused(
        "vla sizeof",
        "TL156",
        3,
        10,
        "void f(int n, long *a) {\n  double t[n];\n  a[0] = sizeof(t);\n}\n",
    ),
    Refused(
        "string init",
        "TL149",
        2,
        8,
        'void f(char *a) {\n  char t[4] = "abc";\n  a[0] = t[0];\n}\n',
    ),
    Refused(
        "null for an array",
        "TL160",
        3,
        15,
        "void f(int m, double s[m], double a[m]) {\n  int j;\n  for (s = 0; j < m; j++)\n    a[j] = s[j];\n}\n",
    ),
    Refused(
        "huge init",
        "TL149",
        1,
        20,
        "static const float k[2147483648] = {0.25f};\nvoid f(float *a) {\n  a[0] = k[1];\n}\n",
    ),
    Refused(
        "array of pointers",
        "TL138",
        2,
        11,
        "void f(double *a, double *b) {\n  double *t[2] = {a, b};\n  t[0][0] = 1;\n}\n",
    ),
    Refused(
        "hypot",
        "TL150",
        3,
        10,
        "#include <math.h>\ndouble f(double x) {\n  return hypot(x, x);\n}\n",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_function_is_refused_at_its_place(case: Refused) -> None:
    check(case)


def test_a_refusal_in_a_callee_names_the_call() -> None:
    source = "double h(double);\nstatic void g(double *a) {\n  a[0] = h(a[0]);\n}\nvoid f(double *a) {\n  g(a);\n}\n"
    (function,) = read_c(source, "k.c", function="f")
    (diagnostic,) = function.diagnostics
    assert diagnostic.location == Location("k.c", 3, 10)
    assert [(note.message, note.location) for note in diagnostic.notes] == [
        ("in `g`, called from here", Location("k.c", 6, 3))
    ]


def test_one_refused_function_does_not_refuse_the_others() -> None:
    good_text = "void good(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
    source = good_text + "void bad(double ***a) { a[0][0][0] = 1; }\n"
    good, bad = read_c(source, "k.c")
    assert (good.name, bad.name) == ("good", "bad")
    assert good.module is not None
    assert good.diagnostics == ()
    assert bad.module is None


def test_every_row_differs_and_helps() -> None:
    codes = [row.code for row in REFUSALS.values()]
    assert len({(row.code, row.message, row.remedy) for row in REFUSALS.values()}) == len(codes)
    assert all(code.startswith(("TL1", "TL57")) for code in codes)  # of reading, and of statements to be replaced
    assert all(len(row.remedy) > 10 for row in REFUSALS.values())
