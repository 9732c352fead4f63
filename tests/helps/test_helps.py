"""Each help works: its example is refused with it, and lifts once the help is followed, which takes a few lines."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

import pytest
from tests.helps.examples import FOLDER, Example, heading, read_examples, refused, spelled
from tests.test_diagnostics import HOLE, Stated, all_stated

from tensorlift.diagnostics import Diagnostic, LiftError

_EXAMPLES = read_examples()
_MOST_LINES = 8
_REASONS: dict[str, list[str]] = tomllib.loads((FOLDER / "without_example.toml").read_text(encoding="utf-8"))
_SHOWN = {example.heading for examples in _EXAMPLES.values() for example in examples}
_all = pytest.mark.parametrize(
    "example",
    [pytest.param(e, id=f"{path.stem}-{k}") for path, examples in _EXAMPLES.items() for k, e in enumerate(examples)],
)


def _first(example: Example) -> Diagnostic:
    try:
        return refused(example.before, example.suffix)[0]
    except LiftError as error:  # the request is wrong
        return error.diagnostics[0]


@_all
@pytest.mark.in_turns(3)
def test_an_example_is_refused_with_its_help(example: Example) -> None:
    assert heading(_first(example)) == example.heading


@_all
@pytest.mark.in_turns(3)
def test_what_follows_the_help_is_lifted(example: Example) -> None:
    assert refused(example.after, example.suffix) == ()


@_all
def test_following_the_help_takes_a_few_lines(example: Example) -> None:
    changed = [sum(line.startswith(sign) for line in example.lines) for sign in "-+"]
    assert 0 < max(changed) <= _MOST_LINES


def test_headings_are_what_is_said(update: bool) -> None:  # noqa: FBT001 - a fixture
    """Refresh the lines ``@@`` with ``--update``; without, the tests above compare them."""
    for path, examples in _EXAMPLES.items():
        assert spelled(examples) == path.read_text(encoding="utf-8")
        if update:
            now = [replace(example, heading=heading(_first(example))) for example in examples]
            path.write_text(spelled(now), encoding="utf-8")


def test_each_row_has_an_example_or_a_reason() -> None:
    """Rows of tables have one each, what is refused elsewhere has one for each code."""
    excused = {row for rows in _REASONS.values() for row in rows}
    codes = {example.partition(" ")[2].partition(" ")[0] for example in _SHOWN}
    missing, used = set[str](), set[str]()
    for row in all_stated():
        if row.code < "TL5" and not (_is_shown(row) if row.file.endswith("refusals.py") else row.code in codes):
            key = row.code if row.code in excused else f"{row.code} {row.message}"
            (used if key in excused else missing).add(key)
    assert missing == set()
    assert excused - used == set()


def _is_shown(row: Stated) -> bool:
    stated = f"@@ {row.code} {row.message}\n@@ help: {row.remedy}"
    pattern = re.compile(".*".join(map(re.escape, stated.split(HOLE))))
    return any(map(pattern.fullmatch, _SHOWN))
