"""Programs that differ from a right one in one place or two are rejected, unless they are right as well."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from importlib.util import find_spec

import pytest
from bench.mutants import TARGETS, Subject, mutant_of, outcome, subject, try_mutant
from bench.mutation import mutant
from tests.shared import is_exhaustive

from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

# Sums, a triangle, narrow integers and conversions, in one function.
MIXED = """#include <math.h>
void mixed(int n, double s, double a[n][n], const float b[n], int c[n], const int d[n], long e[n]) {
  for (int i = 0; i < n; i++) {
    c[i] = (short)(d[i] * 3 + 1) % 7 + (b[i] > 0.5f);
    e[i] = (long)d[i] * 5 - i;
    for (int j = 0; j <= i; j++) a[i][j] = sqrt(fabs(b[j])) * s + a[i][j];
  }
}
"""
GEMM = """void gemm(int n, int m, int k, double C[n][m], double A[n][k], double B[k][m], double beta) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] *= beta;
      for (int l = 0; l < k; l++) C[i][j] += A[i][l] * B[l][j];
    }
}
"""
COUNT = 30  # of each program, by default every other one: those that the target before it leaves out


@cache
def _subject(text: str, target: str) -> Subject:
    library = get_target(target).library
    if library in {"jax", "torch"} and find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    if target == "stablehlo" and find_spec("jax") is None:
        pytest.skip("JAX is not installed, whose XLA runs StableHLO")
    if target == "linalg" and find_tools() is None:
        pytest.skip("upstream MLIR's tools are not installed")
    found = subject(source_from_text(text, "source.c"), target)
    assert found is not None
    return found


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("text", [MIXED, GEMM], ids=["mixed", "gemm"])
@pytest.mark.parametrize("target", TARGETS)
def test_no_mutant_is_accepted_and_wrong(target: str, text: str) -> None:
    of = _subject(text, target)
    turn = list(TARGETS).index(target) + (text == GEMM)
    seeds = range(COUNT) if is_exhaustive() else range(turn % 2, COUNT, 2)
    changed = [mutant(of.lifting.emitted.text, get_target(target), random.Random(seed)) for seed in seeds]
    outcomes = [try_mutant(one, of) for one in dict.fromkeys(changed)]
    assert len(outcomes) > len(seeds) / 2
    assert not [outcome for outcome in outcomes if outcome.fault]
    kinds = Counter(outcome.kind.partition(" ")[0] for outcome in outcomes)
    assert kinds["rejected"] > len(outcomes) / 2


def test_kernels_and_random_programs_are_mutated_in_turn() -> None:
    for seed in (0, 5):
        assert outcome(seed, "numpy").fault == ""
        changed, of = mutant_of(seed, "numpy")
        assert changed != of.lifting.emitted.text


def test_a_mutant_that_is_accepted_and_computes_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    of = _subject(GEMM, "numpy")
    monkeypatch.setattr(Subject, "check", lambda *_: None)
    assert try_mutant(of.lifting.emitted.text, of).kind == "accepted and right"
    wrong = of.lifting.emitted.text.replace("* beta", "+ beta").replace("*= beta", "+= beta")
    assert try_mutant(wrong, of).kind == "accepted and wrong"
