"""Functions on tensors: lifted programs do what upstream's own passes and LLVM make of the module."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlift.diagnostics import Severity
from tensorlift.lifted import Lifted, lift_text
from tensorlift.record import Level
from tensorlift.runtime.mlir.program import load_linalg
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.source import source_from_text

_TEXT = (Path(__file__).parent / "tensors.mlir").read_text(encoding="utf-8")
_EACH = re.findall(r"(?://[^\n]*\n)?func\.func @\w+.*?\n}\n", _TEXT, re.DOTALL)
_FUNCTIONS = {re.findall(r"@(\w+)", text)[0]: text for text in _EACH}
_SIZES = {"n": 5, "m": 4}
_TESTED = {"branch", "joined"}  # in whose definitions one half is not decided
_needs_tools = pytest.mark.skipif(find_tools() is None, reason="upstream MLIR's tools are not installed")


def _arguments(text: str, seed: int) -> list[Any]:
    """Draw arguments by the types of a function; open extents are those that a comment states, else 5 and 4."""
    numbers = np.random.default_rng(seed)
    found: list[Any] = []
    for name, kind in re.findall(r"%(\w+): ((?:tensor<[^>]*>)|index|i1|f64|f32)", text[: text.index(" {\n")]):
        if kind == "index":
            found.append(_SIZES.get(name, 3))
        elif not kind.startswith("tensor"):
            found.append(bool(numbers.integers(2)) if kind == "i1" else float(numbers.standard_normal()))
        else:
            *extents, of_type = kind[7:-1].split("x") if "index" not in kind else [*kind[7:-1].split("x")[:-2], "index"]
            shape = [int(e) if e != "?" else _SIZES["nm"[k % 2]] for k, e in enumerate(extents)]
            stated = re.search(rf"//.*\b{name}: (\d[\d, ]*)", text)
            shape = list(map(int, stated[1].split(","))) if stated else shape
            if of_type == "index":
                found.append(numbers.integers(0, 3, shape))
            elif of_type.startswith("i"):
                found.append(numbers.integers(-9, 9, shape).astype(f"int{of_type[1:]}"))
            else:
                found.append(numbers.standard_normal(shape).astype({"f32": np.float32, "f64": np.float64}[of_type]))
    return found


def _lifted(name: str) -> Lifted:
    return lift_text(source_from_text(_FUNCTIONS[name], "f.mlir"))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", _FUNCTIONS)
def test_a_function_on_tensors_is_proved(name: str) -> None:
    (function,) = _lifted(name).record.functions
    assert function.level is Level.PROVED
    assert (function.definitions is Level.PROVED) is (name not in _TESTED), function.undecided


@pytest.mark.in_turns(3)
@_needs_tools
@pytest.mark.parametrize("name", _FUNCTIONS)
def test_it_does_what_upstream_makes_of_it(name: str) -> None:
    tools = find_tools()
    assert tools is not None
    command = [str(tools.opt), "--convert-elementwise-to-linalg"]
    text = _FUNCTIONS[name]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    original = load_linalg(done.stdout, name)
    lifted = _lifted(name)
    for seed in range(3):
        given = _arguments(text, seed)
        wanted = original(*given)
        got = lifted(*given)
        for one, other in zip(_several(got), _several(wanted), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@_needs_tools
@pytest.mark.parametrize("name", ["softmax", "transposed", "conv", "tiles"])
def test_named_operations_of_generic_syntax_mean_what_their_regions_say(name: str) -> None:
    tools = find_tools()
    assert tools is not None
    command = [str(tools.opt), "--mlir-print-op-generic"]
    text = subprocess.run(command, input=_FUNCTIONS[name], capture_output=True, text=True, check=True).stdout
    given = _arguments(_FUNCTIONS[name], 1)
    wanted, got = _lifted(name)(*given), lift_text(source_from_text(text, "f.mlir"))(*given)
    np.testing.assert_allclose(got, wanted, rtol=1e-5)
    if name == "tiles":
        other = lift_text(source_from_text(text.replace("arith.addf", "arith.subf"), "f.mlir"))(*given)
        np.testing.assert_allclose(other, given[2] - given[0] @ given[1], rtol=1e-4, atol=1e-5)


def _several(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


_FLAT = """%d = tensor.cast %x : tensor<2x2xf64> to tensor<?x?xf64>
  %0 = tensor.collapse_shape %d [[0, 1]] : tensor<?x?xf64> into tensor<?xf64>"""
_PADDED = """%0 = tensor.pad %x low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    %c = arith.index_cast %i : index to i64
    %v = arith.sitofp %c : i64 to f64
    tensor.yield %v : f64
  } : tensor<2x2xf64> to tensor<3x2xf64>"""

_OTHER_EXTENTS = """%c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.cast %x : tensor<2x2xf64> to tensor<?x?xf64>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %d) -> (tensor<?x?xf64>) {
    %m = tensor.dim %t, %c1 : tensor<?x?xf64>
    %e = tensor.extract_slice %t[0, 0] [1, %m] [1, 1] : tensor<?x?xf64> to tensor<1x?xf64>
    %s = tensor.cast %e : tensor<1x?xf64> to tensor<?x?xf64>
    scf.yield %s : tensor<?x?xf64>
  }"""
_FROM_OTHERS = """%c0 = arith.constant 0 : index
  %0 = scf.forall (%i) in (2) shared_outs(%o = %x) -> (tensor<2x2xf64>) {
    %row = tensor.extract_slice %o[0, %i] [2, 1] [1, 1] : tensor<2x2xf64> to tensor<2xf64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 2] [1, 1] : tensor<2xf64> into tensor<2x2xf64>
    }
  }"""
_SAME_PART = _FROM_OTHERS.replace("%o[0, %i] [2, 1]", "%o[%i, 0] [1, 2]")
_ITSELF = _SAME_PART.replace("slice %row into", "slice %o into").replace(": tensor<2xf64>", ": tensor<2x2xf64>")
_TWO_RESULTS = """%i = arith.constant dense<1> : tensor<2xi32>
  %low, %high = arith.mulsi_extended %i, %i : tensor<2xi32>"""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (_FLAT, "`tensor.collapse_shape` of axes of open extents"),
        ("%0 = func.call @f(%x) : (tensor<2x2xf64>) -> tensor<2x2xf64>", "`f` calls itself"),
        (_OTHER_EXTENTS, "the extents of tensors that `scf.yield` gives differ"),
        (_FROM_OTHERS, "`scf.forall` reads what other iterations may make of its tensors"),
        (_ITSELF, "`scf.forall` reads"),
        (_SAME_PART.replace("%o[%i, 0]", "%o[%c0, 0]", 1), "`scf.forall` reads what other iterations may make"),
        (_SAME_PART.replace("%o[%i, 0]", "%o[%c0, 0]"), "iterations of this parallel loop race"),
        (_TWO_RESULTS, "`arith.mulsi_extended` is not lifted"),
        (_PADDED, "depends on the place"),
        ("%0 = arith.constant dense_resource<a> : tensor<2xf64>", ""),
    ],
)
def test_what_is_not_read_refuses_the_function(body: str, message: str) -> None:
    text = f"func.func @f(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {{\n  {body}\n  return %x : tensor<2x2xf64>\n}}\n"
    lifted = lift_text(source_from_text(text, "f.mlir"))
    assert lifted.verdict == "refused"
    (said, *_) = [d for d in lifted.record.all_diagnostics if d.severity is Severity.ERROR]
    assert said.code in {"TL118", "TL190", "TL194", "TL196", "TL223"}
    assert message in said.message
    assert said.location is not None


_CALLS = """
func.func private @changed(%x: tensor<?xf64>, %k: f64) -> (tensor<?xf64>, tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %r = tensor.insert %k into %x[%c0] : tensor<?xf64>
  return %r, %x : tensor<?xf64>, tensor<?xf64>
}
func.func @f(%x: tensor<?xf64>, %k: f64) -> tensor<?xf64> {
  %s = arith.addf %x, %x : tensor<?xf64>
  %a, %b = func.call @changed(%s, %k) : (tensor<?xf64>, f64) -> (tensor<?xf64>, tensor<?xf64>)
  %c, %d = func.call @changed(%a, %k) : (tensor<?xf64>, f64) -> (tensor<?xf64>, tensor<?xf64>)
  %p = arith.mulf %a, %b : tensor<?xf64>
  %q = arith.mulf %c, %s : tensor<?xf64>
  %r = arith.addf %p, %q : tensor<?xf64>
  return %r : tensor<?xf64>
}
"""


def test_a_function_that_is_called_leaves_the_tensors_of_its_caller() -> None:
    lifted = lift_text(source_from_text(_CALLS, "f.mlir"), function="f")
    x = np.array([1.0, 2.0, 3.0])
    s, a = 2 * x, np.array([7.0, 4.0, 6.0])
    np.testing.assert_allclose(lifted(x, 7.0), 2 * a * s)
    assert lifted.record.functions[0].definitions is Level.PROVED
