"""What upstream's passes make of a kernel is lifted to what the kernel is."""

from __future__ import annotations

import pytest
from bench.mlir_corpus import FORMS, NAMES, outcome, report

from tensorlift.runtime.mlir.tools import find_tools

pytestmark = pytest.mark.skipif(find_tools() is None, reason="mlir-opt is missing")


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("form", FORMS)
def test_a_product_lifts_and_is_raised_without_loops_in_each_form(form: str) -> None:
    made = outcome("blas/gemv", form)
    assert made.is_pure
    assert (made.lifted, made.raised, made.wrong) == ("", "", "")


def test_a_recurrence_is_told_from_pure_loops() -> None:
    made = outcome("polybench/trisolv", "affine")
    assert not made.is_pure
    assert not made.wrong
    assert "0 of them pure loops" in report([made])


def test_the_corpus_has_225_functions() -> None:
    assert len(NAMES) * len(FORMS) == 225
