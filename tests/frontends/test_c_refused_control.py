"""Control flow, loops and subscripts outside the subset are refused with code, place and remedy."""

from __future__ import annotations

import pytest
from tests.frontends.refused import Refused, check

CASES = [
    Refused(
        "range of cases",
        "TL115",
        3,
        3,
        "int f(int n) {\n  switch (n) {\n  case 1 ... 4: return 2;\n  }\n  return 3;\n}\n",
    ),
    Refused(
        "forever",
        "TL125",
        2,
        3,
        "void f(int n, double *a) {\n  for (int i = 0;; i++)\n    a[i] = 1;\n}\n",
    ),
    Refused(
        "runs away",
        "TL125",
        2,
        19,
        "void f(int n, double *a) {\n  for (int i = 0; i < n; i--)\n    a[i] = 1;\n}\n",
    ),
    Refused(
        "no change",
        "TL125",
        2,
        19,
        "void f(int n, double *a) {\n  for (int i = 0; i < n; )\n    a[i] = 1;\n}\n",
    ),
    Refused(
        "unsigned down",
        "TL124",
        2,
        24,
        "void f(unsigned n, double *a) {\n  for (unsigned i = n; i >= 1; i -= 2)\n    a[i] = 1;\n}\n",
    ),
    Refused(
        "unsigned >= 0",
        "TL124",
        2,
        28,
        "void f(unsigned n, double *a) {\n  for (unsigned i = n - 1; i >= 0; i--)\n    a[i] = 1;\n}\n",
    ),
    Refused(
        "unsigned ends pass each other",
        "TL124",
        2,
        35,
        "void f(unsigned n, double *a) {\n  for (unsigned i = 0, j = n - 1; i <= j; i++, j--)\n    a[i] = a[j];\n}\n",
    ),
    Refused(
        "unsigned ends with an offset",
        "TL124",
        2,
        31,
        "void f(unsigned n, double *a) {\n  for (unsigned i = 0, j = n; i < j + 5; i++, j--)\n    a[i] = 1;\n}\n",
    ),
    Refused(
        "nonaffine bound",
        "TL123",
        3,
        21,
        "void f(int n, double *a) {\n"
        "  for (int i = 0; i < n; i++)\n"
        "    for (int j = 0; j < i * i + n; j++)\n"
        "      a[j] = 1;\n"
        "}\n",
    ),
    Refused(
        "scatter",
        "TL130",
        3,
        5,
        "void f(int n, int *p, double **a, double *b) {\n  for (int i = 0; i < n; i++)\n    a[p[i]][0] = b[i];\n}\n",
    ),
    Refused(
        "quadratic",
        "TL131",
        3,
        5,
        "void f(int n, double *a) {\n  for (int i = 0; i < n; i++)\n    a[i * i] = 1;\n}\n",
    ),
    Refused(
        "two unrelated strides",
        "TL132",
        4,
        7,
        "void f(int n, int p, int q, double *a) {\n"
        "  for (int i = 0; i < n; i++)\n"
        "    for (int j = 0; j < n; j++)\n"
        "      a[i * p + j * q] = 1;\n"
        "}\n",
    ),
    Refused(
        "two strides that agree for one size only",
        "TL132",
        3,
        28,
        "void f(int n, double *a) {\n"
        "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
        "      a[i * (n + 1) + j] = a[i * n + j];\n"
        "}\n",
    ),
    Refused(
        "negative",
        "TL133",
        3,
        5,
        "void f(int n, double *a) {\n  for (int i = 0; i < n; i++)\n    a[i - 1] = 1;\n}\n",
    ),
    Refused(
        "outside",
        "TL134",
        4,
        5,
        "void f(double *o) {\n  double a[4];\n  for (int i = 0; i < 5; i++)\n    a[i] = 1;\n  o[0] = a[0];\n}\n",
    ),
    Refused(
        "outside for all sizes but one",
        "TL134",
        2,
        31,
        "void f(int n, double y[n]) {\n  for (int i = 0; i < n; i++) y[2 * i] = 1;\n}\n",
    ),
    Refused(
        "recursion",
        "TL118",
        2,
        26,
        "int f(int n) {\n  return n < 2 ? 1 : n * f(n - 1);\n}\n",
    ),
    Refused(
        "mutual",
        "TL118",
        3,
        23,
        "int g(int n);\nint f(int n) { return g(n); }\nint g(int n) { return f(n); }\n",
    ),
    Refused(
        "noreturn",
        "TL117",
        1,
        5,
        "int f(int n, double *a) {\n  a[0] = n;\n}\n",
    ),
    Refused(
        "data extent",
        "TL130",
        2,
        12,
        "void f(int *n, double *a) {\n  double t[n[0]];\n  t[0] = 1;\n  a[0] = t[0];\n}\n",
    ),
    Refused(
        "label",
        "TL111",
        3,
        3,
        "void f(int n, double *a) {\n  for (int i = 0; i < n; i++) {\n  next:\n    if (a[i] < 1) goto next;\n  }\n}\n",
    ),
    Refused(
        "in callee",
        "TL125",
        2,
        3,
        "static void g(double *a) {\n  for (int i = 0;; i++) a[i] = 1;\n}\nvoid f(double *a) {\n  g(a);\n}\n",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_function_is_refused_at_its_place(case: Refused) -> None:
    check(case)
