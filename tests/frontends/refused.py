"""A refused C program as a row of a table, and the check that it is refused where the row says."""

from __future__ import annotations

from typing import NamedTuple

from tensorlift.diagnostics import Location, Severity
from tensorlift.languages.c import read_c


class Refused(NamedTuple):
    """A program whose function ``f`` is refused, and the code and place of the diagnostic that says so."""

    name: str
    code: str
    line: int
    column: int
    source: str


def check(case: Refused) -> None:
    """Assert that the function is refused with the code, at the place, with a remedy."""
    (function,) = read_c(case.source, "k.c", function="f")
    assert function.module is None
    diagnostic = function.diagnostics[0]
    assert diagnostic.code == case.code
    assert diagnostic.location == Location("k.c", case.line, case.column)
    assert diagnostic.severity is Severity.ERROR
    assert len(diagnostic.remedy) > 10
    assert "{" not in diagnostic.message
