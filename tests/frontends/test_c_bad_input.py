"""Whatever the file holds, reading it gives functions or diagnostics, and never a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.diagnostics import LiftError, Location
from tensorlift.languages.c import read_c

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.frontends.read_function import ReadFunction


def _read(source: str) -> list[ReadFunction]:
    return read_c(source, "k.c", function="f")


def _nest(depth: int, body: str, parameters: str = "int n, double *a") -> str:
    loops = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++) " for k in range(depth))
    return f"void f({parameters}) {{ int k = 0; {loops}{body} }}"


@pytest.mark.parametrize(
    ("source", "code", "line", "column"),
    [
        ("", "TL104", 1, 1),
        (" \n\n", "TL104", 1, 1),
        ("void f(void) {}\0", "TL103", 1, 1),
        ("\udc80\udcff", "TL103", 1, 1),
        ("int x;\n", "TL104", 1, 1),
        ("int main(void) { return 0; }\n", "TL104", 1, 1),
        ('#include "nope.h"\nvoid f(nope n) {}\n', "TL102", 1, 10),
        ("void f(int n {\n}\n", "TL101", 1, 14),
        ("void f(int n) { x = 1; }\n", "TL101", 1, 17),
        ("double f(double x) {\n  return root(y);\n}\n", "TL101", 2, 15),
        ("#error no\nvoid f(void) {}\n", "TL101", 1, 2),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_whole(source: str, code: str, line: int, column: int) -> None:
    with pytest.raises(LiftError) as caught:
        read_c(source, "k.c")
    diagnostic = caught.value.diagnostics[0]
    assert (diagnostic.code, diagnostic.location) == (code, Location("k.c", line, column))
    assert len(diagnostic.remedy) > 10


def test_every_parse_error_is_told() -> None:
    with pytest.raises(LiftError) as caught:
        read_c("void f(int n) {\n  x = 1;\n  y = 1;\n}\n", "k.c")
    assert [item.location.line for item in caught.value.diagnostics if item.location] == [2, 3]


def test_an_unknown_function_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(LiftError, match="defines f, h") as caught:
        read_c("void f(void) {}\nvoid h(void) {}\n", "k.c", function="g")
    assert caught.value.diagnostics[0].code == "TL105"


def test_options_that_clang_does_not_take_are_told() -> None:
    with pytest.raises(LiftError, match="-std=c1999"):
        read_c("void f(void) {}\n", "k.c", std="c1999")
    with pytest.raises(LiftError, match="macro name"):
        read_c("void f(void) {}\n", "k.c", defines=["1x"])


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("void f(int n, double *a) {\n" + "for (int i = 0; i < n; i++) a[i] = a[i] * 2;\n" * 5000 + "}", "TL164"),
        ("double f(double x) { return " + "+".join(["x"] * 3000) + "; }", "TL119"),
        ("double f(double x) { return " + "- " * 900 + "x; }", "TL119"),
        ("void f(int n, double *a) {" + "if (n > 1) {" * 200 + "a[0] = 1;" + "}" * 200 + "}", "TL119"),
        (_nest(2, f"a[{'*'.join(['(i0 + n)'] * 40)}] = 1;"), "TL131"),
        ("int f(int n) { return f(n - 1); }", "TL118"),
        ("void f(int n) { again: goto again; }", "TL111"),
    ],
    ids=["lines", "sum", "signs", "ifs", "power", "recursion", "goto"],
)
def test_what_is_too_large_is_refused_soon(source: str, code: str) -> None:
    (function,) = _read(source)
    assert function.module is None
    assert function.diagnostics[0].code == code
    assert len(function.diagnostics[0].message) < 400


def test_calls_that_double_are_counted() -> None:
    chain = "".join(f"static double g{k}(double x) {{ return g{k - 1}(x) + g{k - 1}(x); }}\n" for k in range(1, 30))
    (function,) = _read(f"static double g0(double x) {{ return x; }}\n{chain}double f(double x) {{ return g29(x); }}\n")
    assert [item.code for item in function.diagnostics] == ["TL164"]


@pytest.mark.parametrize(
    "source",
    [
        _nest(10, "a[i9] += 1;"),
        _nest(10, "A" + "".join(f"[i{k}]" for k in range(10)) + " += 1;", "int n, double A" + "[n]" * 10),
        _nest(10, "a[k++] += 1;"),
        "double f(double x) {\n" + "x = x * 2 + 1;\n" * 1000 + "return x; }",
        "void f(int n, double *a) {\n" + "for (int i = 0; i < n; i++) a[i] = a[i] * 2;\n" * 300 + "}",
    ],
    ids=["inner", "dimensions", "counter", "statements", "nests"],
)
def test_deep_and_long_functions_are_read(source: str) -> None:
    (function,) = _read(source)
    assert function.diagnostics == ()


@pytest.mark.parametrize(
    "source",
    [
        "void f(int n, double *a) {\r\n  for (int i = 0; i < n; i++)\r\n    a[i] = 0;\r\n}\r\n",
        "\ufeffvoid f(int n, double *a) { a[0] = n; }\n",
        "// Gr\u00f6\u00dfe\nvoid f(int n, double *gr\u00f6\u00dfe) { gr\u00f6\u00dfe[0] = n; }\n",
        "void f(n, a) int n; double *a; { a[0] = n; }\n",
        "void f(int n, double *a) { for (int i = 0; i < n; i++) { int i = 3; a[i] = 1; } }\n",
        "#pragma omp parallel for\nvoid f(int n, double *a) {\n#pragma scop\n  a[0] = n;\n#pragma endscop\n}\n",
        "void f(int n) {}\n",
        "void f(int, double *a) { a[0] = 1; }\n",
    ],
    ids=["crlf", "bom", "unicode", "old style", "shadowing", "pragmas", "nothing", "unnamed"],
)
def test_unusual_text_is_read(source: str) -> None:
    (function,) = _read(source)
    assert function.diagnostics == ()


def test_headers_are_found_and_macros_expand(tmp_path: Path) -> None:
    (tmp_path / "shape.h").write_text(
        "#define ROWS(A, N, M) A[N][M]\n#define LOOP(i, n) for (int i = 0; i < (n); i++)\n"
    )
    source = '#include "shape.h"\nvoid f(int n, TYPE ROWS(A, n, N)) {\n  LOOP(i, n) LOOP(j, N)\n    A[i][j] = 1;\n}\n'
    (function,) = read_c(source, "k.c", include_dirs=[str(tmp_path)], defines=["N=4", "TYPE=float"], std="c99")
    assert "memref<?x4xf32>" in str(function.module)


def test_the_usual_headers_are_there() -> None:
    names = ["assert", "float", "limits", "math", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "time"]
    headers = "".join(f"#include <{name}.h>\n" for name in [*names, "sys/time", "sys/types", "unistd", "inttypes"])
    (function,) = read_c(f"{headers}double f(double x) {{ assert(1); return sqrt(x) * M_PI + DBL_EPSILON; }}\n", "k.c")
    assert function.diagnostics == ()
