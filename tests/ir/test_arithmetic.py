"""Every integer operation and cast of the loop IR agrees with compiled C on edge values, for every width and sign."""

from __future__ import annotations

import ctypes
import itertools
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.ir.programs import function

from tensorlift.ir.arithmetic import ArithmeticFault, evaluator
from tensorlift.ir.memory import NUMPY_TYPES

if TYPE_CHECKING:
    from pathlib import Path

C_NAMES = {**{f"i{b}": f"int{b}_t" for b in (8, 16, 32, 64)}, **{f"u{b}": f"uint{b}_t" for b in (8, 16, 32, 64)}}
C_NAMES |= {"f32": "float", "f64": "double"}
INTEGERS = [name for name in C_NAMES if name[0] in "iu"]
FLOATS = ["f32", "f64"]

# operation: its C spelling, whether it depends on the sign ("i", "u" or either), which pairs C defines
BINARY = {
    "arith.addi": ("a + b", "iu"),
    "arith.subi": ("a - b", "iu"),
    "arith.muli": ("(W)a * (W)b", "iu"),
    "arith.andi": ("a & b", "iu"),
    "arith.ori": ("a | b", "iu"),
    "arith.xori": ("a ^ b", "iu"),
    "arith.minsi": ("a < b ? a : b", "i"),
    "arith.maxsi": ("a > b ? a : b", "i"),
    "arith.minui": ("a < b ? a : b", "u"),
    "arith.maxui": ("a > b ? a : b", "u"),
    "arith.divsi": ("a / b", "i"),
    "arith.remsi": ("a % b", "i"),
    "arith.divui": ("a / b", "u"),
    "arith.remui": ("a % b", "u"),
    "arith.shli": ("(W)a << b", "iu"),
    "arith.shrsi": ("a >> b", "i"),
    "arith.shrui": ("a >> b", "u"),
}
COMPARISONS = {"eq": "==", "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}
COMPARISONS |= {"ult": "<", "ule": "<=", "ugt": ">", "uge": ">="}


def edge_values(dtype: str) -> list[Any]:
    if dtype in FLOATS:
        return [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 100.25, -100.25, 126.99, 3e4, 2147483520.0, 1e-30, 1 / 3]
    info = np.iinfo(NUMPY_TYPES[dtype])
    values = {info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 5, 7, 15, 31, 63, info.max // 3}
    values |= {-1, -2, -7, info.min // 5} if info.min else {info.max // 2 + 1}
    return sorted(values | ({2**53 + 1, 2**24 + 1} if info.max > 2**53 else set()))


def rows() -> dict[str, tuple[str, str, str, str]]:
    """Give for each case its name, operand type, result type, C expression, and the loop IR that it must equal."""
    table = {}
    for (name, (spelling, signs)), dtype in itertools.product(BINARY.items(), INTEGERS):
        if dtype[0] in signs:
            bits = dtype[1:]
            text = f"{name} %a, %b : i{bits}"
            table[f"{name[6:]}_{dtype}"] = (dtype, dtype, spelling.replace("W", f"uint{bits}_t"), text)
    for (name, spelling), dtype in itertools.product(COMPARISONS.items(), INTEGERS):
        if name in {"eq", "ne"} or name[0] == {"i": "s", "u": "u"}[dtype[0]]:
            text = f"arith.cmpi {name}, %a, %b : i{dtype[1:]}"
            table[f"cmpi_{name}_{dtype}"] = (dtype, "u8", f"a {spelling} b", text)
    for source, target in itertools.product(C_NAMES, C_NAMES):
        cast = cast_name(source, target)
        if cast is not None:
            text = f"{cast} %a : {mlir(source)} to {mlir(target)}"
            table[f"cast_{source}_{target}"] = (source, target, f"({C_NAMES[target]})a", text)
    return table


def mlir(dtype: str) -> str:
    return dtype if dtype in FLOATS else f"i{dtype[1:]}"


def cast_name(source: str, target: str) -> str | None:
    """Name the operation that a C conversion becomes; equal widths are no operation."""
    if mlir(source) == mlir(target):
        return None
    from_float, to_float = source in FLOATS, target in FLOATS
    if from_float and to_float:
        return "arith.extf" if source == "f32" else "arith.truncf"
    if from_float:
        return "arith.fptosi" if target[0] == "i" else "arith.fptoui"
    if to_float:
        return "arith.sitofp" if source[0] == "i" else "arith.uitofp"
    if int(target[1:]) < int(source[1:]):
        return "arith.trunci"
    return "arith.extsi" if source[0] == "i" else "arith.extui"


ROWS = rows()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Compile one C function per row, over arrays."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder: Path = tmp_path_factory.mktemp("arithmetic")
    lines = ["#include <stdint.h>"]
    for name, (source, target, expression, _) in ROWS.items():
        operand, result = C_NAMES[source], C_NAMES[target]
        lines += [
            f"void {name}(int n, const {operand} *p, const {operand} *q, {result} *r) {{",
            f"  for (int k = 0; k < n; k++) {{ {operand} a = p[k], b = q[k]; r[k] = {expression}; (void)b; }} }}",
        ]
    (folder / "all.c").write_text("\n".join(lines))
    command = ["cc", "-O0", "-fwrapv", "-shared", "-fPIC", "-o", str(folder / "all.so"), str(folder / "all.c")]
    subprocess.run(command, check=True, timeout=60)
    return ctypes.CDLL(str(folder / "all.so"))


def evaluate(function_of: Any, operands: tuple[Any, ...]) -> Any:
    """Apply to operands in the interpreter's representation; None where C defines nothing."""
    try:
        return function_of(*operands)
    except ArithmeticFault:
        return None


def canonical(value: Any, dtype: str) -> Any:
    """Give the interpreter's representation of a C value: floats as they are, integers in the signed range."""
    if dtype in FLOATS:
        return float(NUMPY_TYPES[dtype].type(value))
    return int(np.array(value, NUMPY_TYPES[dtype]).view(f"i{int(dtype[1:]) // 8}"))


@pytest.mark.parametrize("name", ROWS)
def test_operation_agrees_with_c(name: str, library: ctypes.CDLL) -> None:
    source, target, _, text = ROWS[name]
    unary = name.startswith("cast")
    op = (
        function(f"func.func @f(%a: {mlir(source)}, %b: {mlir(source)}) {{\n %r = {text}\n return\n}}")
        .regions[0]
        .block.first_op
    )
    assert op is not None
    function_of = evaluator(op)
    values = edge_values(source)
    pairs = [(a, values[0]) for a in values] if unary else list(itertools.product(values, values))
    expected = [evaluate(function_of, tuple(canonical(v, source) for v in pair[: 2 - unary])) for pair in pairs]
    defined = [(pair, value) for pair, value in zip(pairs, expected, strict=True) if value is not None]
    assert len(defined) > 3, "the table has no defined case"

    left, right = (np.array([pair[k] for pair, _ in defined], NUMPY_TYPES[source]) for k in (0, 1))
    result = np.zeros(len(defined), NUMPY_TYPES[target])
    getattr(library, name)(len(defined), *(ctypes.c_void_p(array.ctypes.data) for array in (left, right, result)))
    for (pair, value), compiled in zip(defined, result, strict=True):
        if name.startswith("cmpi"):
            assert value == -int(compiled), pair
        else:
            assert value == canonical(compiled, target), pair


@pytest.mark.parametrize(
    ("text", "operands", "message"),
    [
        ("arith.divsi %a, %b : i32", (7, 0), "division by zero"),
        ("arith.remui %a, %b : i32", (7, 0), "division by zero"),
        ("arith.divsi %a, %b : i32", (-(2**31), -1), "overflows"),
        ("arith.shli %a, %b : i32", (1, 32), "shift by 32"),
        ("arith.shrsi %a, %b : i32", (1, -1), "shift by -1"),
    ],
)
def test_undefined_arithmetic_is_a_fault(text: str, operands: tuple[int, int], message: str) -> None:
    op = function(f"func.func @f(%a: i32, %b: i32) {{\n %r = {text}\n return\n}}").regions[0].block.first_op
    assert op is not None
    function_of = evaluator(op)
    assert function_of is not None
    with pytest.raises(ArithmeticFault, match=message):
        function_of(*operands)


FLOAT_PREDICATES = {
    "false": (0, 0, 0, 0), "oeq": (1, 0, 0, 0), "ogt": (0, 1, 0, 0), "oge": (1, 1, 0, 0), "olt": (0, 0, 1, 0),
    "ole": (1, 0, 1, 0), "one": (0, 1, 1, 0), "ord": (1, 1, 1, 0), "ueq": (1, 0, 0, 1), "ugt": (0, 1, 0, 1),
    "uge": (1, 1, 0, 1), "ult": (0, 0, 1, 1), "ule": (1, 0, 1, 1), "une": (0, 1, 1, 1), "uno": (0, 0, 0, 1),
    "true": (1, 1, 1, 1),
}  # fmt: skip


@pytest.mark.parametrize("predicate", FLOAT_PREDICATES)
def test_float_predicates_cover_equal_greater_less_and_nan(predicate: str) -> None:
    text = f"func.func @f(%a: f64, %b: f64) {{\n %r = arith.cmpf {predicate}, %a, %b : f64\n return\n}}"
    op = function(text).regions[0].block.first_op
    assert op is not None
    compare = evaluator(op)
    assert compare is not None
    found = [compare(a, b) for a, b in [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (1.0, float("nan"))]]
    assert found == [-expected for expected in FLOAT_PREDICATES[predicate]]
