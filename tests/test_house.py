"""House rules that neither linter nor type checker knows."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
import tokenize
import types
from typing import TYPE_CHECKING

import pytest

import tensorlift

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST_LINES = 500
_MOST_METHODS = 30  # inherited ones counted
_METHODS = (types.FunctionType, staticmethod, classmethod, property, functools.cached_property)
_FOLDERS = ("src", "tests", "bench")
_SILENCED = re.compile(r"#\s*(ruff:\s*)?(noqa(:\s*[A-Z]+\d+(,\s*[A-Z]+\d+)*)?|type:\s*ignore(\[[\w, -]+\])?)")
_SUMMARY = re.compile(r'"""[^\s"]')


def _python(root: Path) -> Iterator[Path]:
    for folder in _FOLDERS:
        yield from sorted((root / folder).rglob("*.py"))


def test_no_file_is_longer_than_500_lines(root: Path) -> None:
    lengths = {str(path.relative_to(root)): path.read_text(encoding="utf-8").count("\n") for path in _python(root)}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > _MOST_LINES} == {}


def test_no_class_has_more_than_30_methods() -> None:
    modules = [importlib.import_module(m.name) for m in pkgutil.walk_packages(tensorlift.__path__, "tensorlift.")]
    ours = {
        kind for m in modules for kind in vars(m).values() if isinstance(kind, type) and kind.__module__ == m.__name__
    }
    assert ours
    methods = {kind: {name for base in kind.__mro__ if base in ours for name in _methods(base)} for kind in ours}
    assert {
        f"{kind.__module__}.{kind.__name__}" for kind, names in methods.items() if len(names) > _MOST_METHODS
    } == set()


def _methods(kind: type) -> Iterator[str]:
    """Yield the names of what a class defines itself; Python's own protocols do not count."""
    for name, value in vars(kind).items():
        if not name.startswith("__") and isinstance(value, _METHODS):
            yield name


def test_the_first_line_of_each_module_says_what_it_is_for(root: Path) -> None:
    assert [str(path.relative_to(root)) for path in _python(root) if not _SUMMARY.match(path.read_text("utf-8"))] == []


def test_silenced_checks_give_their_reason(root: Path) -> None:
    bare = [
        f"{path.relative_to(root)}:{line}"
        for path in _python(root)
        if _SILENCED.search(path.read_text("utf-8"))
        for line, comment in _comments(path)
        if _SILENCED.search(comment) and not _has_reason(comment)
    ]
    assert bare == []


@pytest.mark.parametrize(
    "codes", ["noqa: S101", "noqa: S101, FBT001", "type: ignore[arg-type]", "noqa", "ruff: noqa: S101"]
)
@pytest.mark.parametrize(("reason", "given"), [("", False), (" - ", False), (" - why", True), ("  # why", True)])
def test_reasons_are_told_from_codes(codes: str, reason: str, given: bool) -> None:  # noqa: FBT001 - a parameter of a test
    assert _SILENCED.search(f"# {codes}{reason}")
    assert _has_reason(f"# {codes}{reason}") is given


def _comments(path: Path) -> Iterator[tuple[int, str]]:
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def _has_reason(comment: str) -> bool:
    return bool(re.search(r"\w", _SILENCED.sub("", comment)))
