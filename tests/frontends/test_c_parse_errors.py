"""Errors of the parser refuse the functions that they reach, and no other."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tensorlift.diagnostics import LiftError, Severity
from tensorlift.languages.c import read_c
from tensorlift.languages.cpp import read_cpp

if TYPE_CHECKING:
    from pathlib import Path

GOOD = "void good(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }\n"
MISSING = '#include "missing.h"\n'

APART = [
    ("an undeclared function", MISSING + "void bad(double *a) {\n  MPI_Barrier(a);\n}\n"),
    ("an undeclared name", MISSING + "void bad(double *a) { a[0] = MPI_COMM_WORLD; }\n"),
    ("an unknown type of a variable", MISSING + "void bad(double *a) { __m256d v = load(a); store(a, v); }\n"),
    ("an unknown type of a parameter", MISSING + "void bad(cudaStream_t s, double *a) { a[0] = 1; }\n"),
    ("an unknown type of the result", MISSING + "real bad(double *a) { return a[0]; }\n"),
    ("an undeclared macro", MISSING + "void bad(double *a) { FOR(i, 10) a[i] = 0; }\n"),
    ("a macro with what is not declared", MISSING + "#define HALF half_of\nvoid bad(double *a) { a[0] = HALF(1); }\n"),
    ("a variable of an unknown type", MISSING + "real scale;\nvoid bad(double *a) { a[0] = scale; }\n"),
    ("a name for an unknown type", MISSING + "typedef real number;\nvoid bad(number *a) { a[0] = 1; }\n"),
    ("a member of an unknown type", MISSING + "struct s { real x; };\nvoid bad(struct s *p) { p->x = 1; }\n"),
    ("a function that holds an error", "void part(double *a) { a[0] = x; }\nvoid bad(double *a) { part(a); }\n"),
    ("a missing system header", "#include <cuda_runtime.h>\nvoid bad(double *a) { cudaFree(a); }\n"),
    ("more errors than clang tells", "void bad(double *a) {\n" + "a[0] = x;\n" * 40 + "}\n"),
    ("no missing header", "void bad(double *a) { a[0] = ; }\n"),
]


@pytest.mark.parametrize("order", ["before", "behind"])
@pytest.mark.parametrize("text", [text for _, text in APART], ids=[name for name, _ in APART])
def test_functions_that_no_error_reaches_are_read(text: str, order: str) -> None:
    source = (
        text + GOOD
        if order == "behind"
        else text.replace("void bad", GOOD + "void bad").replace("real bad", GOOD + "real bad")
    )
    found = {function.name: function for function in read_c(source, "k.c")}
    assert found["good"].module is not None
    assert found["bad"].module is None
    assert {d.severity for d in found["good"].diagnostics} <= {Severity.WARNING}
    assert bool(found["good"].diagnostics) == ("#include" in text)
    assert {d.code for d in found["bad"].diagnostics} <= {"TL101", "TL102"}


REACHED = [
    (
        "a condition on what the header may define",
        MISSING + "#ifdef SINGLE\ntypedef float t;\n#else\ntypedef double t;\n#endif\n",
    ),
    ("a default that the header may replace", MISSING + "#ifndef N\n#define N 3\n#endif\n"),
    ("a test for the header", "#if __has_include(<missing.h>)\n#define N 3\n#endif\n" + MISSING + "#if N\n#endif\n"),
    ("a brace too many", "}\n"),
    ("an error in a directive", "#if N(\n#endif\n"),
    ("an error directive", "#error no\n"),
    ("names that are put together", MISSING + "real scale;\n#define IN(x) sc##x\n"),
    ("a directive behind a comment", MISSING + "/* a\n */ #if N\n#endif\n"),
    ("words that stand on two lines", MISSING + "real sc;\nint s\\\nc;\n"),
    ("a header in a function", 'void f(double *a) {\n#include "body.inc"\n  a[0] = 1;\n}\n'),
    ("a header in a table", 'double t[] = {1,\n#include "rest.inc"\n};\n'),
    ("a condition on a name with an underscore", MISSING + "#ifdef _SINGLE\n#endif\n"),
    ("an assertion about the machine", '_Static_assert(sizeof(long) == 4, "32 bits");\n'),
    ("a brace too many in a function", "void f(double *a) { a[0] = 1; } a[1] = 2; }\n"),
    ("text outside of declarations", "nothing at all;;\n) (\n"),
]


@pytest.mark.parametrize("text", [text for _, text in REACHED], ids=[name for name, _ in REACHED])
def test_a_file_whose_meaning_may_depend_on_what_is_missing_is_refused_whole(text: str) -> None:
    with pytest.raises(LiftError):
        read_c(text + GOOD, "k.c")


USED = [
    "real scale;\nvoid good(double *a) { a[0] = scale; }\n",
    "real scale;\n#define S scale\nvoid good(double *a) { a[0] = S; }\n",
    "typedef real t;\ntypedef t u;\nvoid good(u *a) { a[0] = 1; }\n",
    "struct s { real x; };\nstruct u { struct s s; };\nvoid good(struct u *a) { a->s.x = 1; }\n",
    "enum { A, B = C, D };\nvoid good(double *a) { a[D] = 1; }\n",
    "double p(double x) { return w(x); }\ndouble q(double x) { return p(x); }\nvoid good(double *a) { *a = q(*a); }\n",
    "int k = unknown;\nint m[] = {1, 2};\nvoid good(double *a) { a[0] = k + m[0]; }\n",
    "double part(double x) { return sqrt(x); }\nvoid good(double *a) { a[0] = sqrt(a[0]); }\n",
    "real part(double x);\nvoid good(double *a) { a[0] = part(a[0]); }\n",
    "double part(double);\nint part(double x) { return 1; }\nvoid good(double *a) { a[0] = part(a[0]); }\n",
]


@pytest.mark.parametrize("text", USED)
def test_functions_that_use_what_an_error_reaches_are_refused(text: str) -> None:
    found = {function.name: function for function in read_c(MISSING + text + GOOD.replace("good", "other"), "k.c")}
    assert found["good"].module is None
    assert found["other"].module is not None


HEADERS = [
    ("int twice(int x) { return y; }\n", "a[0] = twice(1);", True),
    ("typedef nothing real;\n", "real r = 1.5; a[0] = r;", True),
    ("class vector { public: int size(); };\n", "a[0] = 1;", False),
    ("template <class T> T twice(T x) { return x + x; }\n", "a[0] = 1;", False),
    ("#define N 3\nnamespace m { int k; }\n", "a[0] = N;", True),
    ("#define N 3\n#define M 4\nint k = ;\n", "a[0] = M;", True),
    ("enum { A, B };\nint k = x;\n", "a[0] = B;", True),
    ('#include "missing.h"\ntypedef float real;\n', "a[0] = (real)a[0];", True),
    ("static double k = 1 +;\n", "a[0] = k;", True),
    ("struct s { int x; nothing y; };\n", "struct s s; s.x = 1; a[0] = s.x;", True),
]


@pytest.mark.parametrize(("header", "body", "refused"), HEADERS)
def test_a_header_with_an_error_refuses_the_functions_that_need_it(
    header: str, body: str, *, refused: bool, tmp_path: Path
) -> None:
    (tmp_path / "h.h").write_text("#pragma once\n" + header, encoding="utf-8")
    text = f'#include "h.h"\nvoid bad(double *a) {{ {body} }}\n{GOOD}'
    found = {function.name: function for function in read_c(text, "k.c", include_dirs=[str(tmp_path)])}
    assert found["good"].module is not None
    assert (found["bad"].module is None) == refused


def test_a_condition_in_another_header_refuses_the_file(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("#ifndef H\n#define H\n#ifdef SINGLE\n#endif\n#endif\n", encoding="utf-8")
    with pytest.raises(LiftError, match=r"missing\.h"):
        read_c(MISSING + '#include "h.h"\n' + GOOD, "k.c", include_dirs=[str(tmp_path)])


CPP_APART = [
    ("a missing header", "#include <nowhere/lib.h>\nnowhere::Matrix bad(nowhere::Matrix a) { return a; }\n"),
    ("an undeclared name", MISSING + "double bad(double x) { return x * unknown; }\n"),
    ("an unknown name of a namespace", MISSING + "double bad(double x) { return std::nothing(x); }\n"),
]
CPP_GOOD = """#include <vector>
double good(const std::vector<double> &x) {
  double s = 0;
  for (size_t i = 0; i < x.size(); i++) s += x[i];
  return s;
}
"""


@pytest.mark.parametrize("text", [text for _, text in CPP_APART], ids=[name for name, _ in CPP_APART])
def test_functions_in_cpp_that_no_error_reaches_are_read(text: str) -> None:
    found = {function.name: function for function in read_cpp(text + CPP_GOOD, "k.cpp")}
    assert found["good"].module is not None
    assert found["bad"].module is None


@pytest.mark.parametrize(
    "text",
    [
        "struct S : Base { double x; };\ndouble bad(S s) { return s.x; }\n",
        "double bad(lib::array<double, 3> a) { return a[0]; }\n",
    ],
    ids=["a class of an unknown base", "a function that the parser drops"],
)
def test_errors_outside_of_functions_in_cpp_refuse_the_file(text: str) -> None:
    with pytest.raises(LiftError, match="TL101"):
        read_cpp(MISSING + text + CPP_GOOD, "k.cpp")


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed, whose headers are read")
def test_headers_of_the_compiler_that_is_here_are_found() -> None:
    text = "#include <sys/param.h>\nvoid f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = MIN(a[i], 7); }\n"
    (function,) = read_c(text, "k.c")
    assert function.module is not None
    assert function.diagnostics == ()
