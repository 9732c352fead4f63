"""Each help works: its example is refused with it, and lifts once the help is followed, which takes a few lines."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

import pytest
from tests.helps.examples import FOLDER, Example, heading, read_examples, refused, spelled
from tests.test_diagnostics import HOLE, all_stated

from tensorlift.diagnostics import Diagnostic, LiftError

_EXAMPLES = read_examples()
_MOST_LINES = 8
_WITHOUT_EXAMPLE: dict[str, str] = tomllib.loads((FOLDER / "without_example.toml").read_text(encoding="utf-8"))
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
    """A reason stands for all rows of a code, or for one, which its message and help tell."""
    missing, needless = [], dict(_WITHOUT_EXAMPLE)
    for row in all_stated():
        if row.file.endswith("refusals.py") and row.code < "TL5":
            stated = f"@@ {row.code} {row.message}\n@@ help: {row.remedy}"
            pattern = re.compile(".*".join(map(re.escape, stated.split(HOLE))))
            if any(map(pattern.fullmatch, _SHOWN)):
                continue
            key = row.code if row.code in _WITHOUT_EXAMPLE else f"{row.code} {row.message}"
            needless.pop(key, None)
            if key not in _WITHOUT_EXAMPLE:
                missing.append(stated)
    assert (missing, needless) == ([], {})
