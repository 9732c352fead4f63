"""Reference kernels come out as the NumPy that is kept in ``tests/golden``; ``pytest --update`` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.kernels.catalogue import Kernel, kernels

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source

_GOLDEN = Path(__file__).parent.parent / "golden"


def _file(kernel: Kernel) -> Path:
    return _GOLDEN / f"{kernel.suite}_{kernel.path.stem}.txt"


def _emitted(path: Path) -> str:
    options = LiftOptions(include_dirs=(str(path.parent),))
    return "\n\n".join(function.program for function in lift_source(read_source(str(path)), options).functions)


@pytest.mark.parametrize("kernel", kernels(), ids=str)
def test_a_kernel_is_emitted_as_kept(kernel: Kernel, update: bool) -> None:  # noqa: FBT001 - a fixture
    """The text is the same to the byte."""
    path = _file(kernel)
    text = _emitted(kernel.path)
    if update:
        path.write_text(text)
    assert text == path.read_text()


def test_only_kernels_are_kept() -> None:
    assert sorted(_GOLDEN.glob("*")) == sorted(map(_file, kernels()))
