"""Loops between bounds that are data: folds of segments, whatever the bounds are, and what the checkers reject."""

from __future__ import annotations

import ast
import importlib
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.lifts import lifted_text

from tensorlift import lift
from tensorlift.proofs.certificate import seal_of
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.verify import verify

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

SPMV = """void spmv(int n, const int *ptr, const int *col, const double *val, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int p = ptr[i]; p < ptr[i + 1]; p++) s += val[p] * x[col[p]];
    y[i] = s;
  }
}"""
MOST = """void most(int n, const int *ptr, const int *val, int *y) {
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int p = ptr[i]; p < ptr[i + 1]; p++) s += val[p] * val[p];
    y[i] = s;
  }
}"""
ROW_MAX = """#include <math.h>
void most(int n, const int *ptr, const double *val, double *y) {
  for (int i = 0; i < n; i++) {
    double m = -INFINITY;
    for (int p = ptr[i]; p < ptr[i + 1]; p++) if (val[p] > m) m = val[p];
    y[i] = m;
  }
}"""
SCALE = """void scale(int n, const int *ptr, const double *by, double *val) {
  for (int i = 0; i < n; i++)
    for (int p = ptr[i]; p < ptr[i + 1]; p++) val[p] *= by[i];
}"""
TAMPERED = [
    ("ptr[:-1] < ptr[1:]", "ptr[:-1] <= ptr[1:]"),
    (", ptr)[:-1]", ", ptr)[1:]"),
    ("np.add.reduceat", "np.maximum.reduceat"),
    ("val * x[col]", "val * x[ptr]"),
    ("ptr[:-1] < ptr[1:]", "ptr[1:] < ptr[:-1]"),
    ("np.zeros(1))), ptr)[:-1]", "np.zeros(1))), col)[:-1]"),
]


@pytest.fixture(scope="module")
def certificate() -> dict[str, Any]:
    (function,) = lift(SPMV).functions
    found: dict[str, Any] = json.loads(json.dumps(function.certificate))
    # Each operation is on one line, as formatting does not count.
    return sealed(found | {"program": ast.unparse(ast.parse(found["program"]))})


def sealed(data: dict[str, Any]) -> dict[str, Any]:
    return data | {"seal": seal_of(data)}


def require_rejected(function: FunctionRecord, old: str, new: str) -> None:
    """Demand that a lift is verified as it is, and rejected with some of its text changed."""
    found = sealed(json.loads(json.dumps(function.certificate)))
    verify(found)
    text = ast.unparse(ast.parse(found["program"]))
    assert old in text
    with pytest.raises(CheckFailure):
        verify(sealed({**found, "program": text.replace(old, new)}))


def test_a_product_with_a_sparse_matrix_is_proved_in_both_halves_and_lists_its_preconditions() -> None:
    (function,) = lift(SPMV).functions
    assert str(function.level) == str(function.definitions) == "proved"
    assert str(function.verdict) == "loop-free"
    assert {"0 <= ptr < val.shape[0] + 1", "0 <= col < x.shape[0]"} <= {p.text for p in function.preconditions}


def test_rows_are_folded_whatever_the_bounds_are() -> None:
    program = lift(MOST)
    names: dict[str, object] = {}
    exec(program.source, names)
    rng = np.random.default_rng(0)
    for cells, rows in ((0, 0), (0, 3), (5, 0), (1, 1), (7, 4), (40, 9)):
        val = rng.integers(-(2**31), 2**31, cells, np.int32)
        ptr = rng.integers(0, cells + 1, rows + 1, np.int32)
        wanted = np.array([(val[a:b] * val[a:b]).sum(dtype=np.int32) for a, b in pairwise(ptr)])
        found = names["most"](ptr, val)  # type: ignore[operator] # a function
        assert found.dtype == np.int32
        assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize(("old", "new"), TAMPERED)
def test_another_program_is_rejected(old: str, new: str, certificate: dict[str, Any]) -> None:
    assert old in certificate["program"]
    with pytest.raises(CheckFailure):
        verify(sealed({**certificate, "program": certificate["program"].replace(old, new)}))


IN_PAIRS = [
    ("ptr[:-1], ptr[1:]", "ptr[1:], ptr[:-1]"),
    ("ptr[:-1], ptr[1:]", "ptr[1:], ptr[1:]"),
    ("ptr[:-1], ptr[1:]", "ptr[:-1] * 2, ptr[1:]"),
    ("val * x[col], ptr", "val * x[ptr], ptr"),
    ("index_add_(0, rows", "index_add_(0, places"),
    ("clamp(min=0)", "clamp(min=1)"),
    ("def segment_sums", "def sums_of_segments"),
    ("def spmv(ptr", "def spmv(segment_sums"),
]


@pytest.mark.parametrize(("old", "new"), IN_PAIRS)
def test_another_function_or_other_bounds_are_rejected(old: str, new: str) -> None:
    function = lifted_text(SPMV, "torch")
    assert (str(function.level), str(function.verdict)) == ("proved", "loop-free")
    require_rejected(function, old, new)


SPREAD = [
    ("ptr[:-1], ptr[1:]", "ptr[1:], ptr[:-1]"),
    ("ptr[:-1], ptr[1:]", "ptr[:-1], ptr[:-1]"),
    ("val * spread", "val + spread"),
    ("val * spread", "spread"),
    ("(by, ptr", "(by * by, ptr"),
    ("ptr[1:], val_size", "ptr[1:], val_size + 1"),
    ("np.ones(", "np.zeros("),
    ("np.multiply.at", "np.add.at"),
    ("spread_products", "spread_sums"),
]


@pytest.mark.parametrize(("old", "new"), SPREAD)
def test_values_that_are_spread_otherwise_are_rejected(old: str, new: str) -> None:
    function = lifted_text(SCALE)
    assert str(function.level) == str(function.definitions) == "proved"
    assert str(function.verdict) == "loop-free"
    require_rejected(function, old, new)


OF_EXTREMES = [
    ("torch", "ptr[:-1], ptr[1:]", "ptr[1:], ptr[:-1]"),
    ("torch", "'amax'", "'amin'"),
    ("torch", "-torch.inf", "torch.inf"),
    ("torch", "segment_max", "segment_min"),
    ("jax", "2 * width", "3 * width"),
    ("jax", "segment_max", "segment_sums"),
    ("numpy", "1, -np.inf", "1, np.inf"),
    ("numpy", "np.maximum", "np.minimum"),
    ("numpy", ", ptr)[:-1]", ", ptr)[1:]"),
    ("numpy", "ptr[:-1] < ptr[1:]", "ptr[:-1] <= ptr[1:]"),
]


@pytest.mark.parametrize(("target", "old", "new"), OF_EXTREMES)
def test_extremes_of_other_rows_or_others_of_these_are_rejected(target: str, old: str, new: str) -> None:
    function = lifted_text(ROW_MAX, target)
    assert str(function.level) == str(function.definitions) == "proved"
    assert str(function.verdict) == "loop-free"
    require_rejected(function, old, new)


SCALED = SPMV.replace("x[col[p]]", "x[i] / 4").replace("const int *col, ", "")
OF_SCALED = [
    ("torch", "ptr[:-1] < ptr[1:]", "ptr[1:] < ptr[:-1]"),
    ("numpy", "ptr[:-1] < ptr[1:]", "ptr[:-1] <= ptr[1:]"),
    ("numpy", "/ 4.0, 0.0", "/ 4.0, 1.0"),
    ("numpy", "/ 4.0, 0.0", "+ 4.0, 0.0"),
    ("numpy", "x * np", "x + np"),
]


@pytest.mark.parametrize(("target", "old", "new"), OF_SCALED)
def test_empty_rows_are_zero_whatever_the_other_rows_are_scaled_by(target: str, old: str, new: str) -> None:
    function = lifted_text(SCALED, target)
    assert str(function.level) == str(function.definitions) == "proved"
    require_rejected(function, old, new)
    names: dict[str, Any] = {}
    exec(function.program, names)
    of = np.asarray if target == "numpy" else importlib.import_module(target).tensor
    rows = [[0, 0, 2, 2], [1.0, 3.0], [np.inf, 2.0, np.nan]]
    assert names["spmv"](*map(of, rows)).tolist() == [0.0, 2.0, 0.0]


def test_a_function_that_is_no_operation_is_read_as_others_are() -> None:
    found = json.loads(json.dumps(lifted_text(SPMV, "torch").certificate))
    with pytest.raises(CheckFailure, match="a function that is another one in this target"):
        verify(sealed({**found, "program": found["program"] + "\n\ndef segment_sums(x):\n    return x\n"}))


def test_a_certificate_without_a_precondition_on_bounds_is_rejected(certificate: dict[str, Any]) -> None:
    verify(certificate)
    left = [text for text in certificate["preconditions"] if not text.startswith("0 <= ptr")]
    assert len(left) == len(certificate["preconditions"]) - 1
    with pytest.raises(CheckFailure):
        verify(sealed({**certificate, "preconditions": left}))


def test_a_precondition_on_other_places_does_not_keep_these_inside() -> None:
    source = (
        "void f(int n, const int *k, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[k[i] + 1]; }"
    )
    found = json.loads(json.dumps(lifted_text(source).certificate))
    assert "0 <= k + 1 < x.shape[0]" in found["preconditions"]
    others = [text.replace("0 <= k + 1 <", "0 <= k <") for text in found["preconditions"]]
    with pytest.raises(CheckFailure):
        verify(sealed({**found, "preconditions": others}))


def test_no_program_asks_each_place_for_each_row() -> None:
    (function,) = lift(SPMV.replace("ptr[i + 1]", "ptr[i] + 3")).functions
    assert not function.lifted
