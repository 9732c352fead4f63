"""Reference kernels come out as the NumPy that is kept in ``tests/golden``; ``pytest --update`` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.kernels import native
from bench.kernels.catalogue import Kernel, kernels
from tests.lifts import lifted_kernel
from tests.shared import has_turn

_GOLDEN = Path(__file__).parent.parent / "golden"


def _file(kernel: Kernel) -> Path:
    return _GOLDEN / f"{kernel.suite}_{kernel.path.stem}.txt"


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("kernel", kernels(), ids=str)
def test_a_kernel_is_emitted_as_kept(kernel: Kernel, update: bool) -> None:  # noqa: FBT001 - a fixture
    """The text is the same to the byte."""
    path = _file(kernel)
    is_tested = native.compiles(kernel) and has_turn(kernel, 0, 3)
    text = lifted_kernel(kernel, test=is_tested).program  # as it is lifted to be tested
    if update:
        path.write_text(text)
    assert text == path.read_text()


def test_only_kernels_are_kept() -> None:
    assert sorted(_GOLDEN.glob("*")) == sorted(map(_file, kernels()))
