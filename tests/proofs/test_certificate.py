"""A certificate is data that decides again: it survives JSON, and no change of it does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tensorlift.ir.text import functions
from tensorlift.languages.c import read_c
from tensorlift.proofs import CheckFailure
from tensorlift.proofs.certificate import same_summary, summary_from_json, summary_to_json
from tensorlift.proofs.failure import CERTIFICATE, UNEQUAL
from tensorlift.proofs.verify import verify
from tensorlift.session import SESSION
from tensorlift.summarize import summarise

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.definition import Summary

SOURCE = """
double f(int n, double s, double a[n], double b[n][n]) {
  double r = 0.0;
  for (int i = 0; i < n; i++) {
    a[i] = i < 2 ? s : a[i] + i;
    for (int j = 0; j <= i; j++) r += a[i] * b[i][j];
  }
  return r;
}"""
PROGRAM = """
def f(s, a, b):
    n = a.shape[0]
    a = np.where(np.arange(n) < 2, s, a + np.arange(n))
    return a, a @ np.tril(b).sum(axis=1)
"""


def _summary(source: str) -> Summary:
    SESSION.restart()
    (function,) = read_c(source, "test.c")
    assert function.module is not None
    return summarise(functions(function.module)[0], nonempty=True)


@pytest.fixture
def data(accept: Callable[..., Any]) -> dict[str, Any]:
    certificate = accept(SOURCE, PROGRAM).about("0" * 64, ("n >= 1",))
    read: dict[str, Any] = json.loads(certificate.to_json())
    return read


def test_a_certificate_holds_after_json(data: dict[str, Any]) -> None:
    verify(data)


def test_a_certificate_is_that_of_its_source(data: dict[str, Any]) -> None:
    verify(data, derive=lambda: _summary(SOURCE))
    with pytest.raises(CheckFailure) as caught:
        verify(data, derive=lambda: _summary(SOURCE.replace("i < 2", "i < 3")))
    assert caught.value.code == CERTIFICATE


@pytest.mark.parametrize(("old", "new"), [("< 2", "< 3"), ("tril", "triu"), ("s, a", "a, a")])
def test_a_changed_program_does_not_hold(data: dict[str, Any], old: str, new: str) -> None:
    with pytest.raises(CheckFailure):
        verify({**data, "program": data["program"].replace(old, new)})


def test_changed_definitions_do_not_hold(data: dict[str, Any]) -> None:
    changed = json.loads(json.dumps(data).replace('"add"', '"sub"'))
    with pytest.raises(CheckFailure) as caught:
        verify(changed)
    assert caught.value.code == UNEQUAL


@pytest.mark.parametrize("missing", ["summary", "program", "cuts", "certificate"])
def test_a_damaged_certificate_is_refused(data: dict[str, Any], missing: str) -> None:
    with pytest.raises(CheckFailure) as caught:
        verify({k: v for k, v in data.items() if k != missing})
    assert caught.value.code == CERTIFICATE


@pytest.mark.parametrize(("key", "value"), [("context", "[n] -> { : n > }"), ("arrays", [["A", "f99", ["n"], True]])])
def test_damaged_definitions_are_refused(data: dict[str, Any], key: str, value: object) -> None:
    with pytest.raises(CheckFailure) as caught:
        verify({**data, "summary": {**data["summary"], key: value}})
    assert caught.value.code == CERTIFICATE


def test_a_summary_is_the_same_after_json() -> None:
    summary = _summary(SOURCE)
    again = summary_from_json(json.loads(json.dumps(summary_to_json(summary))))
    assert again.outputs == summary.outputs
    assert same_summary(again, summary)
    assert same_summary(again, _summary(SOURCE))
    assert not same_summary(again, _summary(SOURCE.replace("j <= i", "j < i")))


GATHER = "void f(int n, const int *ix, double x[n], double *y) { for (int i = 0; i < n; i++) y[i] = x[ix[i]]; }"


@pytest.mark.parametrize("stated", ["0 <= ix < x.shape[0]", "every place at which x is read is inside of it"])
def test_a_certificate_says_that_places_are_inside(accept: Callable[..., Any], stated: str) -> None:
    certificate = accept(GATHER, "def f(ix, x):\n    return x[ix]\n")
    conditions = ("n >= 1", "y shares no memory with ix, x")
    verify(json.loads(certificate.about("0" * 64, (*conditions, stated)).to_json()))
    for other in ((), ("0 <= x < x.shape[0]",), ("every place at which ix is read is inside of it",)):
        with pytest.raises(CheckFailure, match="leaves out that places are inside of an array"):
            verify(json.loads(certificate.about("0" * 64, (*conditions, *other)).to_json()))
