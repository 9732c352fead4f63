"""Raising to BLAS: which calls products become, and that routines mean what CBLAS computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bench.mlir_in_place import find_blas, load_in_place
from bench.raising import CONTRACTIONS, NAMES, measure, nest

from tensorlift.raising.pipeline import Result, run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.raising.routines import Routine
from tensorlift.runtime.mlir.tools import checked, find_tools

_TOOLS = find_tools()
_COMPILED = pytest.mark.skipif(
    _TOOLS is None or find_blas() is None, reason="upstream MLIR's tools or OpenBLAS are not installed"
)
_BLAS = "raise-affine-to-linalg,raise-linalg-to-blas"
_EXTENT = {"i": 3, "j": 4, "k": 5}


def raised(text: str) -> Result:
    """Raise a module to BLAS, and demand that upstream accepts what comes out."""
    result = run_passes(text, "in.mlir", parse_passes(_BLAS), guards=False)
    if _TOOLS is not None:
        checked(result.text, _TOOLS)
    return result


def calls(result: Result) -> list[str]:
    """List the routines that are called, in order."""
    lines = result.text.partition("func.func private")[0].splitlines()
    return [line.partition("@")[2].partition("(")[0] for line in lines if "func.call @blas" in line]


_FLAGS = [(False, False), (False, True), (True, False), (True, True)]
_ROUTINES = [
    *(Routine(dtype, (1, 1, 1), flags, is_new=flags[0] ^ flags[1]) for dtype in ("f64", "f32") for flags in _FLAGS),
    *(Routine("f64", (1, 0, 1), (turned, False), is_new=turned) for turned in (False, True)),
    Routine("f64", (1, 1, 0), (False, False), is_new=False),
    Routine("f64", (0, 0, 1), (False, False), is_new=False),
    Routine("f32", (0, 0, 1), (False, False), is_new=True),
    Routine("f64", (2, 1, 2), (False, True), is_new=False),
    Routine("f64", (2, 2, 2), (True, False), is_new=True),
    Routine("f64", (2, 0, 1), (True, False), is_new=True),
]


def _entry(routine: Routine, position: int) -> str:
    """Write a function that calls a routine on parts of larger arrays where it takes parts."""
    lines, given = [], []
    for operand, name in enumerate("ABC"):
        wanted, axes = routine.type_of(operand), routine.axes(operand)
        whole = f"memref<{'?x' * (len(axes) or 1)}{routine.dtype}>"
        given.append(f"%{name}: {whole}")
        if not axes:
            static = f"memref<{routine.dtype}, strided<[], offset: 1>>"
            lines.append(f"%{name}_part = memref.subview %{name}[1] [1] [1] : {whole} to {static}")
            lines.append(f'%{name}_cast = "memref.cast"(%{name}_part) : ({static}) -> {wanted}')
        elif "strided" in wanted:
            extents = [_EXTENT[axis[0]] for axis in axes]
            layout = "strided<[1], offset: 1>>" if len(axes) == 1 else wanted.partition(", ")[2]
            static = f"memref<{''.join(f'{e}x' for e in extents)}{routine.dtype}, {layout}"
            ones = [1] * len(axes)
            lines.append(f"%{name}_part = memref.subview %{name}{ones} {extents} {ones} : {whole} to {static}")
            lines.append(f'%{name}_cast = "memref.cast"(%{name}_part) : ({static}) -> {wanted}')
        else:
            lines.append(f'%{name}_cast = "memref.cast"(%{name}) : ({whole}) -> {wanted}')
    number = routine.dtype
    beta, type_ = ("%beta, ", f"{number}, ") if routine.takes_beta else ("", "")
    a, b, c = map(routine.type_of, range(3))
    lines.append(
        f"func.call @{routine.name}(%alpha, %A_cast, %B_cast, {beta}%C_cast) : ({number}, {a}, {b}, {type_}{c}) -> ()"
    )
    head = f"func.func @entry{position}(%alpha: {number}, %beta: {number}, {', '.join(given)}) {{"
    return "\n".join([head, *lines, "return", "}"]) + "\n"


def _arrays(routine: Routine) -> list[Any]:
    rng = np.random.default_rng(1)
    arrays: list[Any] = []
    for operand in range(3):
        more = 2 if "strided" in routine.type_of(operand) else 0
        shape = [_EXTENT[axis[0]] + more for axis in routine.axes(operand)] or [more]
        arrays.append(rng.standard_normal(shape).astype({"f64": "f8", "f32": "f4"}[routine.dtype]))
    return arrays


def _part(routine: Routine, operand: int, array: Any) -> Any:
    if "strided" not in routine.type_of(operand):
        return array
    return array[tuple(slice(1, 1 + _EXTENT[axis[0]]) for axis in routine.axes(operand)) or (1, ...)]


def _letters(routine: Routine, operand: int) -> str:
    order = [f"{group}{number}" for group in "ijk" for number in range(3)]
    return "".join(chr(ord("a") + order.index(axis)) for axis in routine.axes(operand))


@_COMPILED
@pytest.mark.parametrize("form", ["meaning", "implementation"])
def test_loops_and_calls_of_routines_compute_the_same(form: str) -> None:
    listed = [
        getattr(r, form) + (r.prototype if form == "implementation" else "")
        for r in {r.cblas: r for r in _ROUTINES}.values()
    ]
    listed += [getattr(r, form) for r in _ROUTINES if getattr(r, form) not in "".join(listed)]
    text = "".join([*listed, *(_entry(routine, k) for k, routine in enumerate(_ROUTINES))])
    functions = load_in_place(text, *(f"entry{k}" for k in range(len(_ROUTINES))))
    for routine, call in zip(_ROUTINES, functions, strict=True):
        arrays = _arrays(routine)
        before = arrays[2].copy()
        call(1.5, 0.5, *arrays)
        a, b, c = (_letters(routine, k) for k in range(3))
        total = 1.5 * np.einsum(f"{a},{b}->{c}", _part(routine, 0, arrays[0]), _part(routine, 1, arrays[1]))
        expected = before.copy()
        kept = np.zeros_like(total) if routine.is_new else 0.5 * _part(routine, 2, before)
        if routine.family == "ger":
            kept = _part(routine, 2, before)
        _part(routine, 2, expected)[...] = kept + total
        np.testing.assert_allclose(arrays[2], expected, rtol=1e-5, err_msg=routine.name)


_SUBSCRIPTS = {
    "ij-ik-kj": ["blas_dgemm_nn"],
    "ij-ki-kj": ["blas_dgemm_tn"],
    "ij-ik-jk": ["blas_dgemm_nt"],
    "ij-ki-jk": ["blas_dgemm_tt"],
    "ij-kj-ik": ["blas_dgemm_nn"],
    "ji-ik-kj": ["blas_dgemm_tt"],
    "i-ij-j": ["blas_dgemv_nn"],
    "i-ji-j": ["blas_dgemv_tn"],
    "i-j-ij": ["blas_dgemv_nn"],
    "ij-i-j": ["blas_dger_nn"],
    "ij-j-i": ["blas_dger_nn"],
    "-i-i": ["blas_ddot_nn"],
    "abcd-aebf-dfce": ["blas_dgemm_nn_222"],
    "abc-ad-bdc": ["blas_dgemm_nn_121"],
    "abc-acd-db": ["blas_dgemm_nn_211_new"],
}


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("subscripts", _SUBSCRIPTS)
def test_products_become_calls(subscripts: str) -> None:
    sides = [tuple(side) for side in subscripts.split("-")]
    extents = {index: 3 + k for k, index in enumerate(sorted({i for side in sides for i in side}))}
    assert calls(raised(nest(sides, extents, "f"))) == _SUBSCRIPTS[subscripts]


_GEMM = """func.func @gemm(%A: memref<4x5xf32>, %B: memref<5x3xf32>, %C: memref<4x3xf32>, %alpha: f32, %beta: f32) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 3 {
      START
      affine.for %k = 0 to 5 {
        %a = affine.load %A[%i, %k] : memref<4x5xf32>
        %b = affine.load %B[%k, %j] : memref<5x3xf32>
        %p = arith.mulf %a, %b : f32
        %q = arith.mulf %alpha, %p : f32
        %old = affine.load %C[%i, %j] : memref<4x3xf32>
        %new = arith.addf %old, %q : f32
        affine.store %new, %C[%i, %j] : memref<4x3xf32>
      }
    }
  }
  return
}
"""
_SCALED = """%c = affine.load %C[%i, %j] : memref<4x3xf32>
      %s = arith.mulf %beta, %c : f32
      affine.store %s, %C[%i, %j] : memref<4x3xf32>"""
_ZERO = """%z = arith.constant 0.0 : f32
      affine.store %z, %C[%i, %j] : memref<4x3xf32>"""


@pytest.mark.parametrize(
    ("start", "call"),
    [
        ("", "@blas_sgemm_nn(%alpha, %0, %1, %one, %2)"),
        (_SCALED, "@blas_sgemm_nn(%alpha, %0, %1, %beta, %2)"),
        (_ZERO, "@blas_sgemm_nn_new(%alpha, %0, %1, %2)"),
    ],
)
def test_scaling_before_is_part_of_the_call(start: str, call: str) -> None:
    result = raised(_GEMM.replace("START", start))
    assert call in result.text
    assert "linalg" not in result.text


def test_products_of_integers_stay_in_linalg() -> None:
    text = nest([("i", "j"), ("i", "k"), ("k", "j")], {"i": 2, "j": 3, "k": 4}, "f")
    text = text.replace("f64", "i32").replace("mulf", "muli").replace("addf", "addi")
    result = raised(text)
    assert "linalg.matmul" in result.text
    assert "the product stays as it is: BLAS has no routine for it" in [d.message for d in result.diagnostics]


@pytest.mark.parametrize(
    "own",
    [
        "llvm.func @cblas_sgemm()",
        "func.func private @cblas_sgemm(i32)",
        "func.func @blas_sgemm_nn() { return }",
        '"vendor.function"() {sym_name = "cblas_sgemm"} : () -> ()',
    ],
)
def test_products_stay_where_the_module_has_a_function_of_that_name(own: str) -> None:
    result = run_passes(own + "\n" + _GEMM.replace("START", ""), "in.mlir", parse_passes(_BLAS), guards=False)
    assert "call @blas" not in result.text
    (said,) = [d.message for d in result.diagnostics if d.code == "TL593"]
    assert said.startswith("the product stays as it is: the module has a `")


@_COMPILED
@pytest.mark.parametrize("name", [NAMES[2], NAMES[6], NAMES[8], list(CONTRACTIONS)[5]])
def test_raised_kernels_compute_the_same_when_they_are_compiled(name: str) -> None:
    assert set(measure(name, scale=0.03, repeats=1).raised) == {"linalg", "blas"}
