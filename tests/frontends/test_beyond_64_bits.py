"""Arithmetic of positions and sizes that leaves 64 bits: it wraps where C says so, and is a condition in Python."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.contract.decide import holds
from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.record import FunctionRecord

_WORD = 1 << 64
_FITS = "every integer fits into 64 bits"


def _signed(value: int) -> int:
    return (value + _WORD // 2) % _WORD - _WORD // 2


# The type of what is stored, what is computed of `unsigned long i`, and what that is.
WRAPPING: list[tuple[str, str, Callable[[int], float]]] = [
    ("double", "i * i", lambda i: i * i % _WORD),
    ("double", "i * i * 3", lambda i: i * i * 3 % _WORD),
    ("float", "(i * i) * (3)", lambda i: i * i * 3 % _WORD),
    ("double", "i * i * i", lambda i: i**3 % _WORD),
    ("double", "(i + 1) * (i + 2)", lambda i: (i + 1) * (i + 2) % _WORD),
    ("double", "i * 4611686018427387904", lambda i: i * 2**62 % _WORD),
    ("double", "i * 3000000000", lambda i: i * 3000000000 % _WORD),
    ("double", "(i << 40) + 7", lambda i: ((i << 40) + 7) % _WORD),
    ("double", "(long)(i * i * 3)", lambda i: _signed(i * i * 3)),
    ("double", "i * i * 3 > 7 * i ? 1 : 2", lambda i: 1 if i * i * 3 % _WORD > 7 * i % _WORD else 2),
    ("unsigned long", "i * 4611686018427387904", lambda i: i * 2**62 % _WORD),
    ("unsigned long", "i * i * 3 % 10", lambda i: i * i * 3 % _WORD % 10),
    ("unsigned long", "i * i * 3 >> 60", lambda i: i * i * 3 % _WORD >> 60),
    ("unsigned long", "i * i * 3 / 7", lambda i: i * i * 3 % _WORD // 7),
    ("unsigned long", "(i * 8 - 16) / 8", lambda i: (i * 8 - 16) % _WORD // 8),
    ("unsigned long", "(i * 6 - 18) % 6", lambda i: (i * 6 - 18) % _WORD % 6),
    ("int", "i * 300000000000000000 >> 60", lambda i: i * 300000000000000000 % _WORD >> 60),
]


@cache
def _lifted() -> dict[str, FunctionRecord]:
    functions = [
        f"void wrap{k}(unsigned long n, unsigned long first, {ctype} *o)"
        f" {{ for (unsigned long i = first; i < first + n; i++) o[i - first] = {expression}; }}"
        for k, (ctype, expression, _) in enumerate(WRAPPING)
    ]
    record = lift_source(source_from_text("\n".join(functions), "f.c"), LiftOptions())
    return {function.name: function for function in record.functions}


@pytest.mark.parametrize("number", range(len(WRAPPING)), ids=lambda number: WRAPPING[number][1])
def test_unsigned_arithmetic_of_c_wraps(number: int) -> None:
    ctype, _, expected = WRAPPING[number]
    function = _lifted()[f"wrap{number}"]
    assert function.lifted, function.diagnostics
    names: dict[str, Any] = {}
    exec(function.program, names)
    kind = {"double": "f8", "float": "f4", "unsigned long": "u8", "int": "i4"}[ctype]
    taken = 0
    for first in (0, 1, 30, 1 << 24, (1 << 31) + 7, 2479700525, 3037000500, (1 << 40) + 1):
        sizes = {"n": 5, "first": first}
        if all(holds(p.condition, sizes) for p in function.preconditions if p.condition is not None):
            given = [sizes[p.name] for p in function.parameters]
            wanted = np.array([expected(first + k) for k in range(5)]).astype(kind)
            np.testing.assert_array_equal(names[function.name](*given), wanted, f"first = {first}")
            taken += 1
    assert taken


def test_what_counts_the_cells_of_an_array_has_a_sign_in_every_target() -> None:
    text = """
    double mean(unsigned long n, unsigned long m, double a[n][m]) {
        double s = 0;
        for (unsigned long i = 0; i < n; i++) for (unsigned long j = 0; j < m; j++) s += a[i][j];
        return s / (n * m);
    }
    void ramp(unsigned long n, unsigned long m, double *a) {
        for (unsigned long i = 0; i < n; i++) for (unsigned long j = 0; j < m; j++) a[i * m + j] = i * m + j;
    }
    """
    for target in ("numpy", "torch", "linalg", "c"):
        record = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target))
        assert [function.verdict for function in record.functions] == ["loop-free"] * 2, target
        assert not any("uint64" in function.program for function in record.functions)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize(
    ("expression", "is_stated"),
    [
        ("i * 4611686018427387904", True),
        ("i * 3000000", True),
        ("i * i", True),
        ("i * n", True),
        ("(i + first) * (i + first) * 300000000000000000", True),
        ("(i << 50) + 1", True),
        ("i + 4611686018427387904 * n", True),
        ("1 << i", True),
        ("(i + first) ** 2", True),
        ("n * first - i", True),
        ("i + first", False),
        ("i // 2 + n % 3", False),
        ("(i + first) & 7", False),
        ("2 * i + 3 * n - 5", False),
        ("i + 1000000000000", False),
    ],
)
def test_integers_of_python_fit_64_bits_where_they_might_not(dtype: str, expression: str, is_stated: bool) -> None:  # noqa: FBT001 - a parameter
    text = f"""
def f(n: int, first: int, y: "{dtype}[:]"):
    for i in range(n):
        y[i] = {expression}
"""
    (function,) = lift_source(source_from_text(text, "f.py"), LiftOptions()).functions
    assert function.lifted, function.diagnostics
    assert [p.text for p in function.preconditions].count(_FITS) == is_stated


@pytest.mark.parametrize(
    ("body", "is_asked"),
    [
        ("%c = arith.constant 4611686018427387904 : index\n %b = arith.muli %i, %c : index", False),
        ("%c = arith.constant 62 : index\n %b = arith.shli %i, %c : index", False),
        (
            (
                "%c = arith.constant 3000000000000000000 : index\n %m = arith.muli %i, %c : index\n"
                " %d = arith.constant 7 : index\n %b = arith.remui %m, %d : index"
            ),
            True,
        ),
    ],
)
@pytest.mark.parametrize("dtype", ["f64", "i64"])
def test_large_multiples_of_an_index_of_mlir_wrap_or_are_asked_to_fit_64_bits(
    body: str,
    dtype: str,
    is_asked: bool,  # noqa: FBT001 - a parameter
) -> None:
    made = "%v = arith.sitofp %a : i64 to f64" if dtype == "f64" else "%v = arith.addi %a, %a : i64"
    text = f"""
    func.func @f(%n: index, %o: memref<?x{dtype}>) {{
      affine.for %i = 0 to %n {{
        {body}
        %a = arith.index_cast %b : index to i64
        {made}
        affine.store %v, %o[%i] : memref<?x{dtype}>
      }}
      return
    }}
    """
    (function,) = lift_source(source_from_text(text, "f.mlir"), LiftOptions()).functions
    assert function.lifted, function.diagnostics
    assert any("*n <= " in p.text for p in function.preconditions) == is_asked
    if not is_asked:
        scope: dict[str, Any] = {}
        exec(function.program, scope)
        wrapped = np.array([0, 1 << 62, -1 << 63, -1 << 62, 0])
        result = scope["f"](5, np.zeros(5, np.float64 if dtype == "f64" else np.int64))
        np.testing.assert_array_equal(result, wrapped if dtype == "f64" else wrapped + wrapped)


def test_products_in_c_wrap_in_an_unsigned_type() -> None:
    text = "void f(unsigned long n, double *a) { for (unsigned long i = 0; i < n; i++) a[i] *= (double)(i * i + 1); }"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target="c")).functions
    assert "(unsigned long)i * (unsigned long)i" in function.program, function.diagnostics


# What is stored into or returned as an `unsigned long`, and how the program for NumPy spells the constant.
ABOVE_SIGNED = [
    ("o[i] = o[i] & 0xF0F0F0F0F0F0F0F0", "o & np.uint64(17361641481138401520)"),
    ("o[i] = 0xFFFFFFFFFFFFFFFF", "np.full(n, np.uint64(18446744073709551615), dtype=np.uint64)"),
    ("o[i] = (o[i] ^ o[i] >> 30) * 0xbf58476d1ce4e5b9", "* np.uint64(13787848793156543929)"),
    ("o[i] = o[i] > 0x8000000000000000 ? o[i] : 0x8000000000000005", "np.uint64(9223372036854775808)"),
    ("s = s + o[i] * 9223372036854775809u", "np.uint64(9223372036854775809)"),
    ("s = (s ^ o[i]) * 14695981039346656037u", "np.uint64(14695981039346656037)"),
    ("if (o[i] < s) s = o[i]", "np.uint64(18446744073709551613)"),
    ("o[i] = ~o[i] + 0xFFFFFFFFFFFFFFFE", "(o ^ np.uint64(18446744073709551615)) + np.uint64(18446744073709551614)"),
    ("o[i] = 0xF000000000000000 / (o[i] | 1)", "np.uint64(17293822569102704640)"),
    ("o[i] = (unsigned)(o[i] * 0xcc9e2d51cc9e2d51 >> 32)", "np.uint64(14744272059406101841)"),
]


@pytest.mark.parametrize("target", ["numpy", "jax", "c"])
def test_constants_that_no_signed_type_holds_are_unsigned(target: str) -> None:
    if target == "jax":
        pytest.importorskip("jax")
    chosen = ABOVE_SIGNED if target == "numpy" else ABOVE_SIGNED[::3]
    functions = [
        f"unsigned long f{k}(int n, unsigned long *o)"
        f" {{ unsigned long s = -3ul; for (int i = 0; i < n; i++) {body}; return s; }}"
        for k, (body, _) in enumerate(chosen)
    ]
    options = LiftOptions(target=target, test=True)
    record = lift_source(source_from_text("\n".join(functions), "f.c"), options)
    for function, (body, spelled) in zip(record.functions, chosen, strict=True):
        assert function.lifted, (body, function.diagnostics)
        assert target != "numpy" or spelled in " ".join(function.program.split()), body
        assert "uint64(np.uint64(" not in function.program


def test_numpys_constants_may_be_as_large_and_others_have_a_remedy() -> None:
    text = """
import numpy as np
def mix(x: "uint64[:]", y: "uint64[:]"):
    for i in range(len(x)):
        y[i] = (x[i] ^ np.uint64(0xF0F0F0F0F0F0F0F0)) * np.uint64(0x9e3779b97f4a7c15) >> np.uint64(3)
def bare(x: "uint64[:]"):
    for i in range(len(x)):
        x[i] = 0xF0F0F0F0F0F0F0F0
"""
    mix, bare = lift_source(source_from_text(text, "f.py"), LiftOptions(test=True)).functions
    assert "(x ^ np.uint64(17361641481138401520)) * np.uint64(11400714819323198485) >> 3" in mix.program
    (diagnostic,) = bare.diagnostics
    assert (diagnostic.code, diagnostic.remedy) == ("TL175", f"write `np.uint64({0xF0F0F0F0F0F0F0F0})`")


@pytest.mark.parametrize(
    "text", ["x & 17361641481138401520", "x.astype(np.int64) & np.uint64(9223372036854775808)", "np.int64(1 << 63) & x"]
)
def test_the_checker_takes_large_constants_of_their_type_alone(text: str) -> None:
    source = "void f(int n, unsigned long *x) { for (int i = 0; i < n; i++) x[i] = x[i] & 17361641481138401520u; }"
    (function,) = lift_source(source_from_text(source, "f.c"), LiftOptions()).functions
    wrong = function.program.replace("x & np.uint64(17361641481138401520)", text)
    assert wrong != function.program
    assert verify({**(function.certificate or {}), "program": wrong})


DATA = """
import math
import numpy as np

def f(n: int, x: "int64[:]", h: "int32[:]", v: "list[int]", y: "float64[:]"):
    t = 0
    r = 0
    c = [0] * 3
    w = [int(x[0])] * 3
    for i in range(n):
        {}
"""


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("body", "is_stated"),
    [
        ("y[i] = -int(x[i])", True),
        ("y[i] = abs(int(x[i]))", True),
        ("y[i] = int(x[i]) + 1", True),
        ("y[i] = 5 - int(x[i])", True),
        ("y[i] = (int(x[i]) + 5) % 7", True),
        ("y[i] = 1 if int(x[i]) - 1 < 0 else 2", True),
        ("y[i] = v[i] + 1", True),
        ("y[i] = int(x[i]) // -1", True),
        ("y[i] = int(x[i]) // int(h[i])", True),
        ("y[i] = w[1] - 1", True),
        ("u = [4, v[i]]; y[i] = u[1] + 1", True),
        ("u = [k for k in v]; y[i] = u[1] + 1", True),
        ("t = int(x[i]); y[i] = t + 1", True),
        ("y[i] = t + 1; t = r; r = v[i]", True),
        ("y[i] = math.floor(y[i]) + 1", True),
        ("y[i] = ~int(x[i])", False),
        ("y[i] = -int(h[i]) + 5", False),
        ("y[i] = abs(int(h[i]) - 1)", False),
        ("y[i] = int(x[i]) % 10 + 1", False),
        ("y[i] = (v[i] & 255) - 3", False),
        ("y[i] = int(x[i]) // 2 + 1", False),
        ("t += 1; y[i] = t", False),
        ("c[1] += 1; y[i] = c[1]", False),
    ],
)
def test_integers_of_data_fit_64_bits_where_they_might_not(body: str, is_stated: bool) -> None:  # noqa: FBT001 - a parameter
    (function,) = lift_source(source_from_text(DATA.format(body), "f.py"), LiftOptions()).functions
    assert function.lifted, function.diagnostics
    assert (_FITS in [p.text for p in function.preconditions]) is is_stated
