"""The interpreter of literal IR stops where C has no meaning; what it spells means what ``arithmetic`` says."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from xdsl.parser import Parser

from tensorlift.ir.arithmetic import ArithmeticFault, evaluator
from tensorlift.ir.dialects import literal_context, loop_context
from tensorlift.ir.execution import InterpreterError
from tensorlift.ir.literal_interpreter import EndedError, LiteralInterpreter, TooLongError, UndefinedError
from tensorlift.readers.clang import read_literally

# A function of C, its arguments, and what stops it.
UNDEFINED: dict[str, tuple[str, list[Any], str]] = {
    "sum": ("int f(int n) { return n + 1; }", [2**31 - 1], "1:23: signed arithmetic overflows"),
    "difference": ("long f(long n) { return n - 2; }", [-(2**63) + 1], "1:25: signed arithmetic overflows"),
    "product": ("int f(int n) { return n * n; }", [65536], "1:23: signed arithmetic overflows"),
    "negation": ("int f(int n) { return -n; }", [-(2**31)], "1:23: signed arithmetic overflows"),
    "absolute value": (
        "int abs(int); int f(int n) { return abs(n); }",
        [-(2**31)],
        "1:37: signed arithmetic overflows",
    ),
    "shift out": ("int f(int n) { return n << 3; }", [1 << 29], "1:23: signed arithmetic overflows"),
    "shift too far": ("int f(int n) { return 1 << n; }", [32], "1:23: a shift by 32 of a value of 32 bits"),
    "shift by a negative number": ("int f(long n) { return 1 >> n; }", [-1], "1:24: a shift by 32 of a value of 32"),
    "division by zero": ("int f(int n) { return 1 / n; }", [0], "1:23: division by zero"),
    "remainder by zero": ("unsigned f(unsigned n) { return 1 % n; }", [0], "1:33: division by zero"),
    "quotient that does not fit": ("int f(int n) { return n / -1; }", [-(2**31)], "1:23: the quotient overflows"),
    "float that does not fit": ("int f(double x) { return (int)x; }", [2.0**31], "1:31: 2147483648.0 does not fit"),
    "NaN as a number": ("int f(double x) { return (int)x; }", [math.nan], "1:31: nan does not fit"),
    "read behind the end": ("int f(int *a) { return a[2]; }", [[1, 2], 0], "1:24: an access lies outside"),
    "read before the start": ("int f(int *a) { return a[-1]; }", [[1, 2], 0], "1:24: the access at -1 lies outside"),
    "write behind the end": ("void f(int *a) { a[2] = 1; }", [[1, 2], 0], "1:18: an access lies outside"),
    "write before the start": ("void f(int *a) { a[-3] = 1; }", [[1, 2], 2], "1:18: the access at -1 lies outside"),
    "unwritten cell": ("int f(void) { int a[2]; a[0] = 1; return a[1]; }", [], "1:42: undefined memory is read"),
    "unset variable": ("int f(int n) { int t; return t + n; }", [1], "1:30: an undefined value is used"),
    "unset condition": ("int f(void) { int t; return t ? 1 : 2; }", [], "1:29: an undefined value is used"),
    "unset variable that is stored": ("void f(int *a) { int t; a[0] = t; }", [[1], 0], "1:25: an undefined value"),
    "unset variable of the round before": (
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { int t; if (i == 0) t = 1; s += t; } return s; }",
        [2],
        "1:83: an undefined value is used",
    ),
    "unset pointer": ("int f(void) { int *p; return *p; }", [], "1:30: an undefined value is used"),
    "unset result": ("int f(int n) { if (n) return 1; }", [0], "an undefined value is used"),
    "unset argument": (
        "static int g(int n) { return 1; } int f(void) { int t; return g(t); }",
        [],
        "1:63: an undefined value is used",
    ),
    "memory that was freed": (
        "#include <stdlib.h>\nint f(void) { int *p = calloc(4, 4); free(p); return p[0]; }",
        [],
        "2:54: an access lies outside",
    ),
    "negative extent": ("int f(int n) { int a[n]; return 0; }", [-1], "1:20: memory of -1 elements"),
}


def _interpreter(source: str) -> LiteralInterpreter:
    return LiteralInterpreter(read_literally(source, "f.c").module)


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_has_no_meaning_stops_the_run_at_its_place(name: str) -> None:
    source, arguments, expected = UNDEFINED[name]
    with pytest.raises(UndefinedError) as raised:
        _interpreter(source)("f", arguments)
    assert str(raised.value).removeprefix("f.c:").startswith(expected)


def test_what_is_unset_may_be_passed_on_where_nobody_reads_it() -> None:
    source = "static int g(int n) { if (n) return 1; } int f(int n) { int t; while (n-- > 0) t = n; g(0); return n; }"
    assert _interpreter(source)("f", [3]) == (-1,)


def test_unsigned_arithmetic_wraps() -> None:
    assert _interpreter("unsigned f(unsigned n) { return n * n - 1 + (n << 31); }")("f", [-1]) == (-(2**31),)


def test_the_end_of_the_program_is_no_undefined_event() -> None:
    with pytest.raises(EndedError, match=r"f\.c:2:27: the program ends by `abort`"):
        _interpreter("#include <stdlib.h>\nint f(int n) { if (n < 0) abort(); return n; }")("f", [-1])


@pytest.mark.parametrize("source", ["void f(int n) { for (;;); }", "int f(int n) { return f(n); }"])
def test_a_run_takes_no_more_branches_than_it_may(source: str) -> None:
    with pytest.raises(TooLongError):
        _interpreter(source)("f", [1], 900)


def test_memory_is_changed_in_place_and_offsets_count_from_its_start() -> None:
    cells: list[float | None] = [1, 2, 3, 4]
    assert _interpreter("int f(int *a) { a[1] = 9; return a[0]; }")("f", [cells, 2]) == (3,)
    assert cells == [1, 2, 3, 9]


def test_variables_at_file_scope_are_memory_by_their_names() -> None:
    interpreter = _interpreter("int n; const double a[2] = {1, 2}; double f(void) { n++; return a[n]; }")
    interpreter.memories["n"][:] = [0]
    assert interpreter("f", []) == (2.0,)
    assert interpreter.memories["n"] == [1]


def test_another_operation_is_refused() -> None:
    text = "func.func @f(%n: index) { affine.for %i = 0 to %n {\n } return }"
    module = Parser(loop_context(), text).parse_module()
    with pytest.raises(InterpreterError, match=r"affine\.for is not part of literal IR"):
        LiteralInterpreter(module)


_CORNERS: dict[str, tuple[float, ...]] = {
    "i1": (0, -1),
    "i8": (0, 1, -1, 7, 127, -128),
    "i32": (0, 1, -1, 31, 2**31 - 1, -(2**31)),
    "i64": (0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63)),
    "f32": (0.0, -0.0, 1.5, -2.0, 16777216.0, math.inf, math.nan),
    "f64": (0.0, -0.0, 1.1, -2.0, 1e300, math.inf, -math.inf, math.nan),
}
_BINARY = ["addi", "subi", "muli", "andi", "ori", "xori", "shli", "divsi", "divui", "remsi", "shrsi", "shrui"]
_TEXTS = [
    *((f"arith.{name} %a, %b : {of}", of) for name in _BINARY for of in ("i8", "i32", "i64")),
    *((f"arith.{name} %a, %b : {of}", of) for name in ("addf", "subf", "mulf", "divf") for of in ("f32", "f64")),
    *((f"arith.cmpi {p}, %a, %b : {of}", of) for p in ("eq", "ne", "slt", "sge", "ult", "uge") for of in ("i8", "i64")),
    *((f"arith.cmpf {p}, %a, %b : {of}", of) for p in ("oeq", "une", "olt", "oge") for of in ("f32", "f64")),
    *((f"arith.extui %a : {of} to i64", of) for of in ("i1", "i8", "i32")),
    *((f"arith.extsi %a : {of} to i64", of) for of in ("i8", "i32")),
    *((f"arith.trunci %a : i64 to {of}", "i64") for of in ("i8", "i32")),
    *((f"arith.{s}itofp %a : {of} to {to}", of) for s in "su" for of in ("i8", "i32", "i64") for to in ("f32", "f64")),
    *((f"arith.fpto{s}i %a : {of} to i8", of) for s in "su" for of in ("f32", "f64")),
    ("arith.negf %a : f64", "f64"),
    ("arith.truncf %a : f64 to f32", "f64"),
    ("arith.extf %a : f32 to f64", "f32"),
]


@pytest.mark.parametrize(("text", "of"), _TEXTS)
def test_operations_that_are_spelled_agree_with_their_evaluators(text: str, of: str) -> None:
    result = "i1" if "cmp" in text else text.rpartition(" ")[2]
    module = Parser(
        literal_context(), f"func.func @f(%a: {of}, %b: {of}) -> {result} {{ %r = {text} return %r : {result} }}"
    ).parse_module()
    interpreter = LiteralInterpreter(module)
    op = next(op for op in module.walk() if op.name == text.split(maxsplit=1)[0])
    evaluate = evaluator(op)
    assert evaluate is not None
    for operands in itertools.product(_CORNERS[of], repeat=2):
        try:
            expected = evaluate(*operands[: len(op.operands)])
        except ArithmeticFault:
            with pytest.raises(UndefinedError):
                interpreter("f", operands)
            continue
        (found,) = interpreter("f", operands)
        assert repr(found) == repr(expected)


def test_a_module_runs_after_it_was_printed_and_parsed() -> None:
    module = read_literally("int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }", "f.c").module
    parsed = Parser(literal_context(), str(module)).parse_module()
    assert LiteralInterpreter(parsed)("f", [5]) == (10,)
