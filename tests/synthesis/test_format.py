"""Emitted text is formatted as the usual Python formatter formats it."""

from __future__ import annotations

from pathlib import Path

import pytest

black = pytest.importorskip("black", reason="the formatter is not installed")

_GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*.txt"))
_FIRST_LINE = "import numpy as np\n"


@pytest.mark.parametrize("path", _GOLDEN, ids=lambda path: path.stem)
def test_the_formatter_leaves_a_program_as_it_is(path: Path) -> None:
    """Each module of a golden file, which may hold several, stands as the formatter would write it."""
    modules = [_FIRST_LINE + rest.rstrip("\n") + "\n" for rest in path.read_text().split(_FIRST_LINE)[1:]]
    assert modules
    for module in modules:
        assert black.format_str(module, mode=black.Mode()) == module
