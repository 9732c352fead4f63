"""House rules that neither linter nor type checker knows."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST_LINES = 500
_FOLDERS = ("src", "tests", "bench")
_SILENCED = re.compile(r"#\s*(noqa|type:\s*ignore)\b(?P<rest>.*)")


def _python(root: Path) -> Iterator[Path]:
    for folder in _FOLDERS:
        yield from sorted((root / folder).rglob("*.py"))


def test_no_file_is_longer_than_500_lines(root: Path) -> None:
    lengths = {str(path.relative_to(root)): path.read_text(encoding="utf-8").count("\n") for path in _python(root)}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > _MOST_LINES} == {}


def test_the_first_line_of_each_module_says_what_it_is_for(root: Path) -> None:
    silent = []
    for path in _python(root):
        text = path.read_text(encoding="utf-8")
        summary = ast.get_docstring(ast.parse(text)) if text.strip() else None
        if not summary or not text.startswith('"""'):
            silent.append(str(path.relative_to(root)))
    assert silent == []


def test_silenced_checks_give_their_reason(root: Path) -> None:
    bare = []
    for path in _python(root):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            silenced = _SILENCED.search(line)
            if silenced and not re.search(r" - \w+|#.*\w", _after_codes(silenced["rest"])):
                bare.append(f"{path.relative_to(root)}:{number}")
    assert bare == []


@pytest.mark.parametrize("bare", ["x  # noqa: S101", "x  # type: ignore[arg-type]"])
def test_a_bare_silence_is_found(bare: str) -> None:
    silenced = _SILENCED.search(bare)
    assert silenced
    assert not _after_codes(silenced["rest"]).strip()


def _after_codes(rest: str) -> str:
    """Drop the codes that a silencing comment names."""
    return re.sub(r"^(:\s*[A-Z]+\d+(,\s*[A-Z]+\d+)*|\[[\w, -]+\])", "", rest)
