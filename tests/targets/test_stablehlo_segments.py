"""Folds between bounds that are data in StableHLO: a loop over rows around one over places, read as one operation."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.lifts import lifted_text

from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.record import Level
from tensorlift.runtime.xla import load_stablehlo
from tensorlift.targets import get_target

SUMS = """void f(int n, const int low[n], const int high[n], int m, const double x[m], double y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int p = low[i]; p < high[i]; p++) y[i] += x[p];
  }
}
"""


def test_rows_may_be_empty_or_overlap_and_bounds_may_fall() -> None:
    pytest.importorskip("jax")
    function = lifted_text(SUMS, "stablehlo")
    assert (function.level, function.diagnostics) == (Level.PROVED, ())
    program = load_stablehlo(function.program, "f")
    for low, high, x in [
        ([0, 3, 1, 4], [2, 1, 4, 4], [1.0, 2, 4, 8]),
        ([0, 0], [0, 0], []),
        ([], [], [1.0]),
    ]:
        sums = [sum(x[first:end]) for first, end in zip(low, high, strict=True)]
        given = {
            "low": np.array(low, np.int32),
            "high": np.array(high, np.int32),
            "x": np.array(x),
            "y": np.zeros(len(low)),
        }
        np.testing.assert_array_equal(program(**{k: v for k, v in given.items() if f"%{k}:" in function.program}), sums)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            r"(LT, %(\d+), )%\d+( : \(tensor<i64>, tensor<i64>\) -> tensor<i1>\n    +stablehlo.return.*\n    }, {)",
            r"\1%\2\3",
        ),
        (r"stablehlo.add (%\d+, %\d+ : tensor<f64>)", r"stablehlo.multiply \1"),
        (r"stablehlo.add (%\d+, %\d+ : tensor<f64>)", r"stablehlo.maximum \1"),
        (r"dense<0.0*e\+00> : tensor<f64>", "dense<1.0> : tensor<f64>"),
        (r"(real_dynamic_slice %\d+, )(%\d+), (%\d+)", r"\1\3, \3"),
    ],
)
def test_a_wrong_nest_is_rejected(old: str, new: str) -> None:
    function = lifted_text(SUMS, "stablehlo")
    text, count = re.subn(old, new, function.program, count=1)
    assert count == 1, function.program
    certificate = certificate_from_json(function.certificate or {})
    with pytest.raises(CheckFailure):
        check(text, function.name, certificate.summary, get_target("stablehlo"), certificate.cuts)
