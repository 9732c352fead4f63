"""What one language gets, all get: docs/constructs.md says what lifts from where; ``pytest --update`` refreshes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.parity.constructs import CONSTRUCTS, LANGUAGES

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

_DOCUMENT = Path(__file__).parents[2] / "docs" / "constructs.md"
_NAMES = list(dict.fromkeys(name for table in CONSTRUCTS.values() for name in table))
_CELLS = [(language, name) for language, table in CONSTRUCTS.items() for name in table]
_HEAD = """<!-- generated from tests/parity: refresh with pytest --update -->
# Constructs

What lifts to NumPy from each language. A code is that of the [diagnostic](diagnostics.md) that refuses the construct;
an empty cell is for what the language cannot say. From C++ and Python, a loop that the source leaves early is
refused where it would stay a loop: it would take longer than the source.

| construct | C | C++ | Fortran | Python | MLIR |
|---|---|---|---|---|---|
"""


def _document() -> dict[tuple[str, str], str]:
    """Return the cells of the document."""
    rows = [line.strip("| \n").split(" | ") for line in _DOCUMENT.read_text(encoding="utf-8").splitlines()[9:]]
    return {
        (language, row[0]): cell.strip("| ") for row in rows for language, cell in zip(LANGUAGES, row[1:], strict=False)
    }


def _became(language: str, name: str, *, test: bool) -> str:
    source = source_from_text(CONSTRUCTS[language][name], f"f{LANGUAGES[language]}")
    (function,) = lift_source(source, LiftOptions(test=test)).functions
    assert not any(trial.failure for trial in function.tests)
    return str(function.verdict) if function.lifted else function.diagnostics[0].code


@pytest.mark.in_turns(4)
@pytest.mark.parametrize(("language", "name"), _CELLS)
def test_a_construct_becomes_what_the_document_says(language: str, name: str, request: pytest.FixtureRequest) -> None:
    is_tested = language == "Python" or request.config.getoption("--exhaustive")
    assert _became(language, name, test=is_tested) == _document()[language, name]


def test_the_document_lists_all(update: bool) -> None:  # noqa: FBT001 - a fixture
    if update:
        rows = [[name, *(_cell(language, name) for language in LANGUAGES)] for name in _NAMES]
        _DOCUMENT.write_text(_HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows), encoding="utf-8")
    known = {cell for cell, text in _document().items() if text}
    assert known == set(_CELLS)
    assert _DOCUMENT.read_text(encoding="utf-8").startswith(_HEAD)


def _cell(language: str, name: str) -> str:
    return _became(language, name, test=False) if name in CONSTRUCTS[language] else ""
