"""Literal IR runs as the Python function does; with ``--exhaustive`` more sizes and random functions are tried."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from bench.literal_python import Compared, compare_file, compare_seed, files
from tests.shared import is_exhaustive

from tensorlift.deep import with_deep_stack
from tensorlift.source import source_from_text

CONSTRUCTS = Path(__file__).parent / "constructs.py"
_SIZES = 4 if is_exhaustive() else 1
_SEEDS = range(400) if is_exhaustive() else range(0, 400, 20)
# What Python and NumPy compute in their own ways in the last bits: powers, exponentials, the order of sums.
_ROUNDED = {"powers", "spread", "singles", "products", "roots", "whole"}


def _compare(path: Path) -> list[Compared]:
    source = source_from_text(path.read_text(encoding="utf-8"), path.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return with_deep_stack(partial(compare_file, source, _SIZES))


def test_each_construct_runs_as_python_does() -> None:
    found = _compare(CONSTRUCTS)
    assert {one.name: one.result for one in found if one.result != "equal" and one.name not in _ROUNDED} == {}
    assert {one.name: one.remark for one in found if one.result not in {"equal", "close"}} == {}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_functions_of_the_corpora_run_as_python_does(path: Path) -> None:
    found = _compare(path)
    assert {one.name: one.remark for one in found if one.result not in {"equal", "close"}} == {}
    assert sum(one.result == "equal" for one in found) >= 0.8 * len(found)


def test_random_functions_run_as_python_does() -> None:
    with np.errstate(all="ignore"):
        found = [one for seed in _SEEDS for one in compare_seed(seed)]
    assert {one.name: one.remark for one in found if one.result == "different"} == {}
    assert sum(one.result in {"equal", "close"} for one in found) >= 0.8 * len(found)
