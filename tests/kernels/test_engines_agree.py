"""Programs that different engines find for one kernel are equal: the checker decides it, without the source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from bench.agreement import check_equal, disagreement
from bench.engines import cell
from bench.kernels.catalogue import ROOT
from tests.shared import is_exhaustive

from tensorlift.deep import with_deep_stack
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.failure import CheckFailure
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from tensorlift.proofs.certificate import Certificate

_EVERY = 12  # one kernel of so many; all of them: python -m bench.engines --agree
_SAMPLE = json.loads((ROOT / "index.json").read_text(encoding="utf-8"))[4::_EVERY]
_ENGINES = ("derive", "tactics", "sketch", "sketch-whole")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize(
    ("entry", "target"),
    [
        (e, t)
        for n, e in enumerate(_SAMPLE)
        for k, t in enumerate(("numpy", "stablehlo"))
        if n % 2 == k or is_exhaustive()
    ],
    ids=lambda choice: choice if isinstance(choice, str) else f"{choice['suite']}/{choice['name']}",
)
def test_programs_of_all_engines_are_equal(entry: dict[str, str], target: str) -> None:
    found = [cell(entry, engine, target) for engine in _ENGINES]
    certificates = {c.engine: c.certificate for c in found if c.certificate is not None}
    assert len(certificates) >= 2, [c.remark for c in found]
    first = certificates.pop("derive")
    for engine, certificate in certificates.items():
        found_out = disagreement(first, certificate, target)  # an engine may ask for a size of one or more
        assert not found_out or "does not follow from the preconditions" in found_out, engine


def _certificate(body: str, engine: str = "derive") -> Certificate:
    text = f"void f(int n, double a[n][n], double b[n][n], double x[n], double y[n]) {{ {body} }}\n"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(engine=engine)).functions
    assert function.certificate is not None, function.diagnostics
    return certificate_from_json(function.certificate)


_FACTORS = "for (int i = 0; i < n; i++) y[i] = x[i] * x[i] + {} * x[i];"


def test_programs_that_say_the_same_in_other_words_are_equal() -> None:
    """Both programs are what each says itself: the sources differ, the values do not."""
    one = _certificate(_FACTORS.format("2"))
    other = _certificate("for (int i = 0; i < n; i++) y[i] = x[i] * (2 + x[i]);")
    with_deep_stack(lambda: check_equal(one, other, get_target("numpy")))


@pytest.mark.parametrize(
    "body",
    [
        _FACTORS.format("3"),
        "for (int i = 0; i < n; i++) y[i] = x[i] * (2 + x[n - 1 - i]);",
    ],
)
def test_programs_that_differ_are_told_apart(body: str) -> None:
    one, other = _certificate(_FACTORS.format("2")), _certificate(body)
    with pytest.raises(CheckFailure, match="is not proved to be"):
        with_deep_stack(lambda: check_equal(one, other, get_target("numpy")))


def test_programs_with_kept_loops_are_not_compared_directly() -> None:
    kept = _certificate("for (int i = 1; i < n; i++) x[i] = x[i] / (1 + x[i - 1] * x[i - 1]);")
    with pytest.raises(CheckFailure, match="compared by its definitions"):
        with_deep_stack(lambda: check_equal(kept, kept, get_target("numpy")))
