"""Adapters and guarded programs give no wrong result on arrays that overlap; `bench/aliasing.py` runs all kernels."""

from __future__ import annotations

import pytest
from bench.aliasing import run, with_pointers
from bench.kernels.native import compiler

_EVERY = 7  # of the kernels, one in so many


@pytest.mark.skipif(compiler() is None, reason="no C compiler named cc on the search path")
def test_no_aliased_call_is_wrong() -> None:
    outcomes = list(run(with_pointers()[::_EVERY], 1))
    assert [wrong for outcome in outcomes for wrong in outcome.wrong] == []
    surfaces = ("adapter", "fell back", "program", "refused")
    ends = {how: sum(outcome.calls[how] for outcome in outcomes) for how in surfaces}
    assert min(ends.values()) > 0, ends  # each surface both computes and declines
    assert sum(outcome.calls["undefined"] for outcome in outcomes) < sum(ends.values()) / 10
