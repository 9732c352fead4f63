"""What the C front end reads, printed and read again as MLIR, keeps its meaning, with its marks and without."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.frontends.mlir.modules import forget

from tensorlift.comprehension.notation import show_summary
from tensorlift.ir.function import functions
from tensorlift.ir.text import print_module
from tensorlift.languages.c import read_c
from tensorlift.languages.mlir import read_mlir
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.session import SESSION
from tensorlift.source import source_from_text
from tensorlift.summarize import summarise

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

KERNELS = sorted((Path(__file__).parents[3] / "bench" / "kernels" / "polybench").glob("*.c"))
# Lifted in full below: a selection that meets every kind of loop, the whole suite would take long.
LIFTED = ["atax", "doitgen", "floyd_warshall", "gemm", "gemver", "jacobi_2d", "symm", "trisolv"]


def from_c(path: Path) -> ModuleOp:
    (function,) = read_c(path.read_text(), path.name, include_dirs=[str(path.parent)])
    assert function.module is not None
    return function.module


def definitions(module: Any) -> str:
    SESSION.restart()
    (function,) = functions(module)
    return show_summary(summarise(function))


def _in_order(text: str) -> str:
    """Name everything by the order in which it occurs: variables of one name in C have several in MLIR."""
    names: dict[str, int] = {}
    return re.sub(r"[A-Za-z_]\w*", lambda found: f"v{names.setdefault(found[0], len(names))}", text)


def test_the_suite_is_complete() -> None:
    assert len(KERNELS) == 30


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_a_kernel_that_is_printed_and_read_again_has_the_same_definitions(path: Path) -> None:
    original = from_c(path)
    (again,) = read_mlir(print_module(original), "k.mlir")
    assert again.module is not None, again.diagnostics
    assert _in_order(definitions(again.module)) == _in_order(definitions(original))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", LIFTED)
def test_a_kernel_without_any_marks_is_lifted_and_proved(name: str) -> None:
    original = from_c(next(path for path in KERNELS if path.stem == name))
    forget(original)
    (function,) = lift_source(source_from_text(print_module(original), "k.mlir"), LiftOptions()).functions
    assert function.level is Level.PROVED, function.diagnostics
    assert all(trial.passed for trial in function.tests)
