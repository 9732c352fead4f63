"""Loops that are left early and do something else than the definitions say: none is taken for them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from bench.first_half import Subject, decide, subjects

from tensorlift.deep import with_deep_stack
from tensorlift.poly.affine import affine
from tensorlift.proofs.source.claims import Claims
from tensorlift.source import source_from_text

_HEAD = "double f(int n, double *restrict x, double *restrict y, double t)"
_LOOP = "for (i = 0; i < n; i++)"


def _subject(body: str) -> Subject:
    text = f"{_HEAD} {{ int i; double s = 0; {body} }}"
    found = dict(with_deep_stack(partial(subjects, source_from_text(text, "f.c")))).popitem()[1]
    assert isinstance(found, Subject), found
    return found


def _answer(subject: Subject, source: Subject) -> str:
    return with_deep_stack(partial(decide, subject, source.module))


PAIRS = {
    "a store before the test": (
        "LOOP { y[i] = x[i]; if (x[i] > t) break; } return 0;",
        "LOOP { if (x[i] > t) break; y[i] = x[i]; } return 0;",
    ),
    "another test": (
        "LOOP { if (x[i] > t) break; y[i] = 0; } return 0;",
        "LOOP { if (x[i] >= t) break; y[i] = 0; } return 0;",
    ),
    "the counter after the hit": (
        "LOOP { if (x[i] > t) break; x[i] = 0; } return i;",
        "LOOP { if (x[i] > t) { i++; break; } x[i] = 0; } return i;",
    ),
    "a sum with the hit": (
        "LOOP { if (x[i] > t) break; s += x[i]; } return s;",
        "LOOP { s += x[i]; if (x[i] > t) break; } return s;",
    ),
    "a sum so far": (
        "LOOP { s += x[i]; if (s > t) break; } return i;",
        "LOOP { s += x[i]; if (s >= t) break; } return i;",
    ),
    "two ways out": (
        "LOOP { if (x[i] < 0) return 1; if (y[i] < 0) return 2; s += x[i]; } return s;",
        "LOOP { if (y[i] < 0) return 2; if (x[i] < 0) return 1; s += x[i]; } return s;",
    ),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_a_loop_that_is_left_in_another_way_is_not_taken(pair: tuple[str, str]) -> None:
    one, other = (_subject(body.replace("LOOP", _LOOP)) for body in pair)
    assert _answer(one, one) == "decided"
    assert _answer(one, other) != "decided"


def test_a_claim_that_a_hit_never_is_where_it_may_be_is_not_taken() -> None:
    subject = _subject(f"{_LOOP} {{ if (x[i] > t) break; y[i] = 0; }} return i;")
    ((header, claim),) = subject.claims.loops.items()
    assert claim.hit is not None
    wrong = replace(claim, hit=replace(claim.hit, none=affine("n") - 1))
    changed = subject._replace(claims=Claims({header: wrong}, subject.claims.memories))
    assert _answer(changed, subject) != "decided"
