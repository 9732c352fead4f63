"""The routines of BLAS that programs in C call: what the front end reads in them is what OpenBLAS computes."""

from __future__ import annotations

import ctypes.util
from typing import TYPE_CHECKING

import pytest
from tests.shared import is_exhaustive

from tensorlift.explain import explain, list_operations
from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.c import read_c
from tensorlift.runtime.cases import Tally, draw_cases, reference, result_pairs
from tensorlift.runtime.compare import Tolerance
from tensorlift.runtime.data import seeded
from tensorlift.runtime.original import Original, run_original
from tensorlift.runtime.workers import Limits
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUTINES = get_target("c").routines
_FEW = 2  # samples, which are taken in both precisions


def _cases() -> Iterator[tuple[str, int]]:
    """Yield each sample in double or in single precision, whose texts are else the same, and each flag in both."""
    for routine in _ROUTINES:
        is_single = routine.name.startswith("cblas_s")
        for number in range(len(routine.samples)):
            # The bits of the number are the flags of the sample.
            if is_exhaustive() or len(routine.samples) == _FEW or number.bit_count() % 2 == is_single:
                yield routine.name, number


@pytest.mark.in_turns(6)
@pytest.mark.skipif(ctypes.util.find_library("openblas") is None, reason="OpenBLAS is not installed")
@pytest.mark.parametrize(("name", "number"), list(_cases()))
def test_a_routine_computes_what_is_read_in_it(name: str, number: int) -> None:
    (text,) = (routine.samples[number] for routine in _ROUTINES if routine.name == name)
    (read,) = read_c(text, "sample.c", function="sample")
    assert read.module is not None, read.diagnostics
    (func_op,) = functions(read.module)
    view, tally, rng = FunctionView(func_op), Tally("compiled", Tolerance()), seeded(number)
    names = [parameter.name for parameter in view.parameters if parameter.role == "size"]
    sizes = [
        dict.fromkeys(names, 1),
        dict(zip(names, (2, 5, 3), strict=False)),
        dict(zip(names, (6, 1, 4), strict=False)),
    ]
    cases = draw_cases(reference(view), sizes, rng, tally)
    replies = run_original(Original(text, "sample.c"), view, [case.arguments for case in cases], Limits())
    for case, reply in zip(cases, replies, strict=True):
        tally.cases.append(case.sizes)
        given = [reply.arrays[array] for array in view.written] + ([] if reply.value is None else [reply.value])
        tally.compare(case, result_pairs(case.expected, view.written, given))
    assert tally.report().passed, tally.failures


def test_every_routine_of_the_issue_is_there_in_both_precisions() -> None:
    names = ["gemm", "gemv", "ger", "symm", "syrk", "syr2k", "trmm", "dot", "axpy", "scal", "nrm2"]
    assert {f"cblas_{letter}{name}" for letter in "ds" for name in names} == {routine.name for routine in _ROUTINES}


def test_routines_are_listed_with_their_parameters() -> None:
    assert "cblas_dgemv(layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy)\n" in list_operations("c")


def test_a_routine_is_explained_by_what_the_front_end_reads() -> None:
    text = explain("dscal", ["c"])
    assert text.startswith("c: cblas_dscal(n, alpha, x, incx)\n")
    assert "  cblas_dscal(n, alpha, x, 1);  where\n  sizes n where n >= 0\n" in text
    assert "  x_1(x_x0) = x(x_x0) * alpha\n" in text
