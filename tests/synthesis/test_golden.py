"""Reference kernels come out as the NumPy that is kept in ``tests/golden``; ``pytest --update`` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.kernels.catalogue import Kernel, kernels, read
from xdsl.dialects.func import FuncOp

from tensorlift.comprehension.names import reset_names
from tensorlift.summarize import summarise
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets.numpy.emit import emit

_GOLDEN = Path(__file__).parent.parent / "golden"


def _file(kernel: Kernel) -> Path:
    return _GOLDEN / f"{kernel.suite}_{kernel.path.stem}.txt"


def _emitted(path: Path) -> str:
    texts = []
    for function in read(path):
        assert function.module is not None
        reset_names()
        func_op = next(op for op in function.module.walk() if isinstance(op, FuncOp))
        texts.append(emit(derive(simplify(summarise(func_op)))).text)
    return "\n\n".join(texts)


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
