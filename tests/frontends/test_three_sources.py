"""Every PolyBench kernel in C and in Python, half of them in MLIR, have the same definitions, decided by the checker.

The program that is lifted from one source is proved against the definitions of another, and the other way round: so
both compute the same, for every size.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.frontends.mlir.modules import forget
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr

from tensorlift.ir.function import functions
from tensorlift.ir.text import print_module
from tensorlift.languages.c import read_c
from tensorlift.languages.mlir import read_mlir
from tensorlift.languages.python import read_python
from tensorlift.proofs.check import check
from tensorlift.session import SESSION
from tensorlift.summarize import summarise
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.interface import Emitted

_INTERFACE = {"tl.name", "tl.c_type", "tl.unsigned", "tl.shape"}
_BENCH = Path(__file__).parents[2] / "bench"
_KERNELS = sorted(path.stem for path in (_BENCH / "kernels" / "polybench").glob("*.c"))
_PYTHON = sorted((_BENCH / "python_programs" / "polybench").glob("[a-z]*.py"))


class _Meaning(NamedTuple):
    """The definitions of a kernel, and the program that they give."""

    summary: Summary
    program: Emitted


def _c(kernel: str) -> ReadFunction:
    path = _BENCH / "kernels" / "polybench" / f"{kernel}.c"
    (function,) = read_c(path.read_text(encoding="utf-8"), path.name)
    return function


def _mlir(kernel: str) -> ReadFunction:
    """Read the kernel as MLIR that declares its parameters as C does, and says no more about them."""
    module = _c(kernel).module
    assert module is not None
    (operation,) = functions(module)
    interface = operation.properties["arg_attrs"]
    assert isinstance(interface, ArrayAttr)
    forget(module)
    kept = [{k: v for k, v in marks.data.items() if k in _INTERFACE} for marks in interface]
    operation.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(marks) for marks in kept])
    (function,) = read_mlir(print_module(module), f"{kernel}.mlir")
    return function


@cache
def _all_python() -> dict[str, ReadFunction]:
    read = [f for path in _PYTHON for f in read_python(path.read_text(encoding="utf-8"), path.name)]
    return {function.name: function for function in read}


def _meaning(function: ReadFunction) -> _Meaning:
    assert function.module is not None, function.diagnostics
    SESSION.restart()
    (operation,) = functions(function.module)
    summary = summarise(operation)
    return _Meaning(summary, get_target("numpy").emit(derive(simplify(summary))))


def _check(one: _Meaning, other: _Meaning) -> None:
    """Prove the program of one against the definitions of the other."""
    program = one.program
    check(program.text, program.entry, other.summary, get_target("numpy"), program.cuts)


def test_the_suite_is_complete() -> None:
    assert len(_KERNELS) == 30
    assert {f"kernel_{kernel}" for kernel in _KERNELS} <= _all_python().keys()


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("kernel", _KERNELS)
def test_a_kernel_means_the_same_in_c_and_python(kernel: str) -> None:
    c, python = _meaning(_c(kernel)), _meaning(_all_python()[f"kernel_{kernel}"])
    _check(c, python)
    _check(python, c)


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("kernel", _KERNELS)
def test_a_kernel_means_the_same_in_c_and_mlir(kernel: str) -> None:
    c, mlir = _meaning(_c(kernel)), _meaning(_mlir(kernel))
    _check(c, mlir)
    _check(mlir, c)
