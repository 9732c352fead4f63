"""Loops that step by a size: tiles are closed, what leaves cells out or depends on where tiles begin is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from bench.first_half import Subject, decide, subjects
from tests.summarize.programs import closed, function_of

from tensorlift.comprehension.definition import KeptLoop
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.poly.affine import Affine, affine
from tensorlift.proofs.source.claims import Claims
from tensorlift.source import source_from_text
from tensorlift.summarize import summarise

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_HEAD = "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
_FUNCTION = "void f(int n, int T, double *x, double *y, double A[n][n], double B[n][n], double C[n][n]) { %s }"
_TILES = "for (int ii = 0; ii < n; ii += T) for (int i = ii; i < MIN(ii + T, n); i++) "

CLOSED = {
    "number of tiles": "for (int ii = 0; ii < n; ii += T) x[0] += 1;",
    "every other cell": "for (int ii = 0; ii < n; ii += T) x[ii] = 1;",
    "map": _TILES + "x[i] = 3 * x[i] + y[i];",
    "sum": "double s = 0; " + _TILES + "s += x[i]; y[0] = s;",
    "sum of sums": """double s = 0; for (int ii = 0; ii < n; ii += T) { double t = 0;
        for (int i = ii; i < n && i < ii + T; i++) t += x[i]; s += t; } y[0] = s;""",
    "overlap": "for (int ii = 0; ii < n; ii += T) for (int i = ii; i < MIN(ii + 2 * T, n); i++) x[i] = y[i];",
    "two sizes": "for (int ii = 1; ii < n; ii += T + 1) for (int i = ii; i < MIN(ii + T + 1, n); i++) x[i] += 1;",
    "product": """for (int ii = 0; ii < n; ii += T) for (int kk = 0; kk < n; kk += T) for (int j = 0; j < n; j++)
        for (int i = ii; i < MIN(ii + T, n); i++) for (int k = kk; k < MIN(kk + T, n); k++)
        C[i][j] += A[i][k] * B[k][j];""",
}
REFUSED = {
    "tiles with gaps": "for (int ii = 0; ii < n; ii += T + 1) for (int i = ii; i < MIN(ii + T, n); i++) x[i] = 1;",
    "another size": "for (int ii = 0; ii < n; ii += T) for (int i = ii; i < MIN(ii + n, n) - 1; i++) x[i] *= 2;",
    "updated twice": "for (int ii = 0; ii < n; ii += T) for (int i = ii; i < MIN(ii + 2 * T, n); i++) x[i] *= 2;",
    "place in a tile": _TILES + "x[i] = i - ii;",
}
UNTIL_TESTED = {
    "down": "for (int ii = n - 1; ii >= 0; ii -= T) x[ii] = 1;",
    "by data": "for (int ii = 0; ii < n; ii += (int)y[ii]) x[ii] = 1;",
}


@pytest.mark.parametrize("case", CLOSED)
def test_tiles_are_closed(case: str) -> None:
    closed(_HEAD + _FUNCTION % CLOSED[case])


@pytest.mark.parametrize("case", REFUSED)
def test_what_tiles_do_not_cover_once_is_refused(case: str) -> None:
    with pytest.raises(LiftError) as refused:
        summarise(function_of(_HEAD + _FUNCTION % REFUSED[case]))
    assert refused.value.diagnostics[0].code == "TL222"


@pytest.mark.parametrize("case", UNTIL_TESTED)
def test_what_is_no_tile_runs_until_its_test_says_so(case: str) -> None:
    summary = summarise(function_of(_HEAD + _FUNCTION % UNTIL_TESTED[case]), places=True)
    assert [item.goes_on is not None for item in summary.items if isinstance(item, KeptLoop)] == [True]
    subject = _subject(_FUNCTION % UNTIL_TESTED[case])
    assert with_deep_stack(partial(decide, subject, subject.module)) == "decided"
    other = _literal(_FUNCTION % UNTIL_TESTED[case].replace("x[0]", "x[1]").replace("= 1", "= 2"))
    assert with_deep_stack(partial(decide, subject, other)).startswith("undecided")


def _subject(text: str) -> Subject:
    source = source_from_text(_HEAD + text, "f.c")
    found = dict(with_deep_stack(partial(subjects, source))).popitem()[1]
    assert isinstance(found, Subject), found
    return found


def _literal(text: str) -> ModuleOp:
    def read() -> ModuleOp:
        function = read_functions(source_from_text(_HEAD + text, "f.c"), LiftOptions())[-1]
        assert function.literally is not None
        return function.literally()

    return with_deep_stack(read)


_SOURCE = _FUNCTION % "for (int ii = 0; ii < n; ii += %s) for (int i = ii; i < MIN(ii + %s, n); i++) x[i] *= 2;"


@pytest.mark.parametrize(
    ("step", "length"), [("T", "T + 1"), ("T", "T - 1"), ("2 * T", "T"), ("T", "1"), ("1", "T"), ("0 * T + 1", "2")]
)
def test_another_source_does_not_compute_what_tiles_do(step: str, length: str) -> None:
    subject = _subject(_SOURCE % ("T", "T"))
    assert with_deep_stack(partial(decide, subject, subject.module)) == "decided"
    other = _literal(_SOURCE % (step, length))
    assert with_deep_stack(partial(decide, subject, other)).startswith("undecided")


@pytest.mark.parametrize("step", [affine("T") + 1, affine("T") * 2, affine("n"), Affine(1), affine("T") - 1])
def test_a_claim_of_another_step_is_not_taken(step: Affine) -> None:
    subject = _subject(_SOURCE % ("T", "T"))
    header = next(h for h, claim in subject.claims.loops.items() if not isinstance(claim.step, int))
    claims = {**subject.claims.loops, header: replace(subject.claims.loops[header], step=step)}
    answer = with_deep_stack(partial(decide, subject._replace(claims=Claims(claims)), subject.module))
    assert answer.startswith("undecided")
