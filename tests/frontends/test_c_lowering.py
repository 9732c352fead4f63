"""C programs become the loop IR of docs/loop-ir.md: loops, accesses, shapes, conditions, casts and preconditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tensorlift.diagnostics import Location
from tensorlift.ir.function import FunctionView
from tensorlift.ir.location import location_of
from tensorlift.ir.text import parse_module, print_module
from tensorlift.languages.c import read_c

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


class Lowered(NamedTuple):
    """The function ``f`` of a program, and what its module must hold, in order; ``%0`` stands for any value."""

    name: str
    source: str
    lines: tuple[str, ...]


def loop(body: str, parameters: str = "int n, double *a, double *b") -> str:
    """Write a function with one loop."""
    return f"void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"


def nest(body: str, parameters: str) -> str:
    """Write a function with two nested loops."""
    return loop(f"for (int j = 0; j < m; j++) {{ {body} }}", parameters)


CASES = [
    Lowered(
        "map", loop("a[i] = b[i];"), ("affine.for %i = 0 to %n {", "affine.load %b[%i]", "affine.store %0, %a[%i]")
    ),
    Lowered(
        "size and scalar", loop("a[i] = s * i;", "int n, int s, int *a"), ("%n: index", "%s: i32", "arith.muli %s")
    ),
    Lowered(
        "falling loop",
        "void f(int n, double *a) { for (int i = n - 1; i >= 0; i--) a[i] = 0; }",
        ("affine.for %i = 0 to %n {", "%a[symbol(%n) - %i - 1]"),
    ),
    Lowered(
        "step of three",
        "void f(int n, double *a) { for (int i = 0; i < n; i += 3) a[i] = 0; }",
        ("(s0 + 2) floordiv 3)>()[%n] {", "affine.store %0, %a[%i * 3]"),
    ),
    Lowered(
        "falling step of three",
        "void f(int n, double *a) { for (int i = n - 1; i >= 0; i -= 3) a[i] = 0; }",
        ("(s0 + 2) floordiv 3)>()[%n] {", "%a[symbol(%n) - %i * 3 - 1]"),
    ),
    Lowered(
        "two counters",
        "void f(int n, double *a, double *b) { for (int i = 0, k = n - 1; i < n; i++, k--) a[i] = b[k]; }",
        ("affine.load %b[symbol(%n) - %i - 1]", "affine.store %0, %a[%i]"),
    ),
    Lowered(
        "secondary induction",
        "void f(int n, double *a, double *b) { int k = 3; for (int i = 0; i < n; i++) { k += 2; a[i] = b[k]; } }",
        ("(s0 * 2 + 4)", "affine.load %b[%i * 2 + 5]"),
    ),
    Lowered(
        "collapsed counter",
        "void f(int n, int m, double *a) { int k = 0;"
        " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[k++] = 1; }",
        ("%a: memref<?x?xf64>", "affine.store %0, %a[%i, %j]"),
    ),
    Lowered(
        "triangle",
        "void f(int n, double A[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) A[i][j] = 0; }",
        ("affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {", "%A[%i, %j] : memref<?x?xf64>"),
    ),
    Lowered(
        "constant extents",
        "void f(float a[4][5]) { for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) a[i][j] = 0; }",
        ("%a: memref<4x5xf32>", 'tl.c_type = "float (*)[5]"', "affine_map<() -> (4, 5)>"),
    ),
    Lowered(
        "flat matrix",
        nest("a[i * m + j] = 0;", "int n, int m, double *a"),
        ("%a: memref<?x?xf64>", "tl.shape = affine_map<()[s0, s1] -> (s0, s1)>", "%a[%i, %j]"),
    ),
    Lowered(
        "factors in any order",
        "void f(int n, int m, int k, double *a) { for (int l = 0; l < k; l++) for (int i = 0; i < n; i++)"
        " for (int j = 0; j < m; j++) a[l + k * j + k * m * i] = 0; }",
        ("memref<?x?x?xf64>", "(s0, s1, s2)", "%a[%i, %j, %l]"),
    ),
    Lowered(
        "leading dimension",
        nest("a[i * lda + j] = 0;", "int n, int m, double *a, int lda"),
        ("(s0, s1)>", 'tl.strides = ["lda", "1"]', 'kind = "stride", text = "m <= lda"', "s2 - s1 >= 0"),
    ),
    Lowered(
        "diagonal of rows with a leading dimension",
        loop("a[i * lda + i] = 0; for (int j = i + 1; j < n; j++) a[i * lda + j] = 1;", "int n, double *a, int lda"),
        ('tl.strides = ["lda", "1"]', 'text = "n <= lda"', "%a[%i, %i]", "%a[%i, %j]"),
    ),
    Lowered(
        "falling triangle with a leading dimension",
        "void f(int n, double *a, int lda) { for (int j = n - 1; j >= 0; j--) { a[j + j * lda] = 0;"
        " for (int i = j - 1; i >= 0; i--) a[i + j * lda] = 1; } }",
        ('tl.strides = ["lda", "1"]', 'text = "n <= lda"', "%a[symbol(%n) - %j - 1, symbol(%n) - %j - 1]"),
    ),
    Lowered(
        "rows of one more than a size",
        loop("for (int j = 0; j <= n; j++) a[i * (n + 1) + n - j] = 0;", "int n, double *a"),
        ("(s0, s0 + 1)", "%a[%i, symbol(%n) - %j]"),
    ),
    Lowered(
        "last column",
        loop("a[i * m + m - 1] = 0; a[i * m] = 1;", "int n, int m, double *a"),
        ('text = "m >= 1"', "%a[%i, symbol(%m) - 1]", "%a[%i, 0]"),
    ),
    Lowered(
        "offset by a product",
        "void f(int h, int s, double *a) { for (int i = 0; i < s; i++) a[h * s + i] = 0; }",
        ("(s0 + 1, s1)", "%a[symbol(%h), %i]"),
    ),
    Lowered(
        "cells",
        "void f(double *p, double *q) { *p = q[0]; }",
        ("%p: memref<f64>", "%q: memref<1xf64>", "affine.load %q[0]", "affine.store %0, %p[]"),
    ),
    Lowered(
        "walking pointers",
        loop("*a++ = *b++;"),
        ("affine.load %b[%i] : memref<?xf64>", "affine.store %0, %a[%i] : memref<?xf64>"),
    ),
    Lowered(
        "row pointer",
        loop("double *r = a + i * m; for (int j = 0; j < m; j++) r[j] = 0;", "int n, int m, double *a"),
        ("affine.store %0, %a[%i, %j] : memref<?x?xf64>",),
    ),
    Lowered(
        "local scalar",
        "double f(int n, double *a) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }",
        (
            '%s = memref.alloca() {tl.name = "s"} : memref<f64>',
            "affine.store %0, %s[]",
            "affine.load %s[]",
            "arith.addf",
            "func.return %0 : f64",
        ),
    ),
    Lowered(
        "local array",
        "void f(int n, double *a) { double t[n + 1]; for (int i = 0; i < n; i++) t[i] = a[i]; }",
        ('%t = memref.alloca(%0) {tl.name = "t", tl.shape = affine_map<()[s0] -> (s0 + 1)>} : memref<?xf64>',),
    ),
    Lowered(
        "initialiser",
        "double f(void) { double t[3] = {1, 2}; return t[2]; }",
        ("0.000000e+00", "affine.for", "affine.store %0, %t[%", "affine.store %0, %t[0]", "affine.store %0, %t[1]"),
    ),
    Lowered(
        "affine condition",
        loop("if (i < k && i != 0) a[i] = 1; else a[i] = 2;", "int n, int k, double *a"),
        ("arith.cmpi ne, %i", "scf.if %0 {", "} else {"),
    ),
    Lowered(
        "conjunction",
        loop("if (i < k && i >= 2) a[i] = 1;", "int n, int k, double *a"),
        ("affine.if affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0, d0 - 2 >= 0)>(%i)[%k] {",),
    ),
    Lowered("data condition", loop("if (b[i] > 0) a[i] = 1;"), ("arith.cmpf ogt", "scf.if %0 {", "affine.store")),
    Lowered(
        "lazy arms", loop("a[i] = b[i] != 0 ? 1 / b[i] : 0;"), ("arith.cmpf une", "scf.if %0 -> (f64) {", "scf.yield")
    ),
    Lowered("eager arms", "double f(double x, double y) { return x > y ? x : y; }", ("arith.select %0, %x, %y : f64",)),
    Lowered(
        "arms that convert to integers where these may not hold the value",
        "int f(double x) { return x > 0 ? (int)x : x < -9 ? (unsigned char)x : 0; }",
        ("scf.if %0 -> (i32) {", "arith.fptosi %x", "scf.if %0 -> (i32) {", "arith.fptoui %x"),
    ),
    Lowered("arms that shift by a datum", "int f(int a) { return a > 0 ? 1 << a : 0; }", ("scf.if %0", "arith.shli")),
    Lowered("arms that shift too far", "int f(int a) { return a > 0 ? a << 40 : 0; }", ("scf.if %0", "arith.shli")),
    Lowered("arms that shift", "int f(int a) { return a > 0 ? a >> 3 : 0; }", ("arith.shrsi", "arith.select")),
    Lowered(
        "lazy and", loop("if (a[i] > 0 && b[i] > 0) a[i] = 1;"), ("scf.if %0 {", "affine.load %b[%i]", "scf.if %0 {")
    ),
    Lowered(
        "narrow integers",
        loop("c[i] += u[i];", "int n, char *c, unsigned char *u"),
        ("arith.extui %0 : i8 to i32", "arith.extsi %0 : i8 to i32", "arith.addi", "arith.trunci %0 : i32 to i8"),
    ),
    Lowered(
        "mixed arithmetic",
        "float f(int a, unsigned b, double d) { return a / b + d; }",
        ("arith.divui %a, %b : i32", "arith.uitofp %0 : i32 to f64", "arith.addf", "arith.truncf %0 : f64 to f32"),
    ),
    Lowered(
        "functions of math.h",
        "#include <math.h>\nfloat f(float x) { return fmaxf(sqrtf(x), fabsf(x)) + powf(x, 2); }",
        ("math.sqrt %x : f32", "math.absf %x : f32", "arith.maxnumf", "arith.mulf %x, %x"),
    ),
    Lowered(
        "inlined call",
        "static double sq(double x) { return x * x; }\n" + loop("a[i] = sq(b[i]);"),
        ("%0 = affine.load %b[%i]", "%0 = arith.mulf %0, %0 : f64", "affine.store %0, %a[%i]"),
    ),
    Lowered(
        "guard with return",
        "void f(int n, double *a) { if (n <= 0) return; for (int i = 0; i < n; i++) a[i] = 1; }",
        ("affine.if affine_set<()[s0]", "} else {", "affine.for %i = 0 to %n {", "func.return"),
    ),
    Lowered(
        "half",
        "void f(int n, double *a) { for (int i = 0; i < n / 2; i++) a[i] = a[n - 1 - i]; }",
        ('text = "n >= 0"', "affine.for %i = 0 to affine_map<()[s0] -> (s0 floordiv 2)>()[%n] {"),
    ),
    Lowered(
        "index as a value",
        loop("a[i] = 2 * i + 1;"),
        ("affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)", "arith.index_cast %0 : index to i32", "arith.sitofp"),
    ),
    Lowered(
        "unsigned result",
        "unsigned f(unsigned a) { return a >> 1; }",
        ("tl.unsigned", "tl.result_unsigned", "arith.shrui %a"),
    ),
    Lowered(
        "counter afterwards",
        "int f(int n, double *a) { int i; for (i = 0; i < n; i++) a[i] = 0; return i; }",
        ('text = "n >= 0"', "arith.index_cast %n : index to i32"),
    ),
]


def lowered(source: str) -> ModuleOp:
    """Give the module of ``f``."""
    (function,) = read_c(source, "k.c", function="f")
    assert function.diagnostics == ()
    assert function.module is not None
    return function.module


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_module_holds_these_lines(case: Lowered) -> None:
    text = print_module(lowered(case.source))
    position = 0
    for line in case.lines:
        pattern = re.escape(line).replace("%0", r"%\w+")
        found = re.compile(pattern).search(text, position)
        assert found, f"{line} is not after position {position} of\n{text}"
        position = found.end()


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_module_verifies_and_is_read_back(case: Lowered) -> None:
    module = lowered(case.source)
    module.verify()
    text = print_module(module, locations=True)
    assert print_module(parse_module(text, "k.mlir"), locations=True) == text


def test_every_operation_carries_its_place() -> None:
    module = lowered("void f(int n, double *a) {\n  for (int i = 0; i < n; i++)\n    a[i] =\n      a[i] + 1;\n}\n")
    places = {op.name: location_of(op) for op in module.walk() if op.name.startswith(("affine.", "arith.", "func."))}
    assert places["func.func"] == Location("k.c", 1, 6)
    assert places["affine.for"] == Location("k.c", 2, 3)
    assert places["affine.store"] == Location("k.c", 3, 5)
    assert places["arith.addf"] == Location("k.c", 4, 7)


def test_the_same_text_gives_the_same_module() -> None:
    assert len({print_module(lowered(CASES[12].source), locations=True) for _ in range(3)}) == 1


def test_unsigned_subscripts_need_not_to_wrap() -> None:
    module = lowered(nest("a[i * m + j] = 0;", "unsigned n, unsigned m, double *a"))
    (func_op,) = module.ops
    assert {row.kind for row in FunctionView(func_op).requires} == {"overflow"}


def test_large_factors_must_not_leave_64_bits_in_a_condition() -> None:
    module = lowered(
        "void f(int n, double *a) { for (unsigned long i = 0; i < n; i++) if (i * (1ul << 56) < 9) a[i] = 1; }"
    )
    (func_op,) = module.ops
    assert {row.kind for row in FunctionView(func_op).requires} == {"overflow"}


def test_unsigned_data_wraps_without_a_precondition() -> None:
    module = lowered("void f(unsigned n, double *a) { for (unsigned i = 0; i < n; i++) a[i] = i - 5; }")
    (func_op,) = module.ops
    assert FunctionView(func_op).requires == ()


@pytest.mark.parametrize(
    ("head", "texts"),
    [
        ("unsigned n, double *a) { for (unsigned i = 0; i < n - 1; i++)", ["n >= 1"]),
        ("int n, double *a) { for (unsigned long i = 0; i < n; i++)", ["n >= 0"]),
        ("unsigned n, double *a) { for (unsigned i = 0; i < n; i += 2)", ["n <= 4294967294"]),
        ("int n, double *a) { for (unsigned char i = 0; i < n; i++)", ["n <= 255"]),
        ("unsigned n, double *a) { for (unsigned i = 0; i < n; i++)", []),
        ("unsigned n, double *a) { for (unsigned i = 0; i <= n; i++)", ["n <= 4294967294"]),
        ("unsigned char n, double *a) { for (unsigned char i = 0; i <= n; i++)", ["n <= 254"]),
        ("unsigned long n, double *a) { for (unsigned long i = 1; i <= n; i++)", []),
        ("unsigned n, double *a) { for (unsigned i = n; i >= 1; i--)", []),
        ("unsigned n, unsigned m, double *a) { for (unsigned i = n; i >= m; i--)", ["m >= 1"]),
        ("unsigned n, double *a) { for (unsigned i = 0, j = n - 1; i < j; i++, j--)", ["n >= 1"]),
        ("int n, double *a) { for (int i = 0; i != n; i++)", ["n >= 0"]),
    ],
)
def test_counters_that_could_wrap_give_preconditions(head: str, texts: list[str]) -> None:
    (func_op,) = lowered(f"void f({head} a[i] = 1; }}").ops
    assert [row.text for row in FunctionView(func_op).requires] == texts
