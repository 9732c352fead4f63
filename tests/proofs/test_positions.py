"""Positions of extremes: programs that take another place, of another extreme or among other cells, are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.proofs.failure import OBLIGATION, UNEQUAL

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject


def _search(comparison: str, *, start: str = "a[0]", place: str = "0", first: str = "1", index: str = "i") -> str:
    return f"""int f(int n, double a[n]) {{
      double best = {start}; int k = {place};
      for (int i = {first}; i < n; i++) if (a[i] {comparison} best) {{ best = a[i]; k = {index}; }}
      return k; }}"""


def _place_alone(comparison: str, start: str = "0") -> str:
    return f"""int f(int n, double a[n]) {{
      int k = {start};
      for (int i = 1; i < n; i++) if (a[i] {comparison} a[k]) k = i;
      return k; }}"""


def _latest(start: str) -> str:
    return f"""int f(int n, double a[n]) {{
      int k = {start};
      for (int i = 0; i < n; i++) if (a[i] > 0) k = i;
      return k; }}"""


_SQUARES = """int f(int n, float a[n]) {
  float best = a[0] * a[0]; int k = 0;
  for (int i = 1; i < n; i++) if (a[i] * a[i] > best) { best = a[i] * a[i]; k = i; }
  return k; }"""
_VALUE = """double f(int n, double a[2][n]) {
  double best = a[0][0], taken = a[1][0];
  for (int i = 1; i < n; i++) if (a[0][i] > best) { best = a[0][i]; taken = a[1][i]; }
  return taken; }"""
_TAKEN = "a[1, a[0].argmax()] if a.shape[1] >= 2 else a[1, 0]"
_ROW = """int f(int n, int m, double a[n][m]) {
  double best = a[0][0]; int r = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (a[i][j] > best) { best = a[i][j]; r = i; }
  return r; }"""
_COLUMN = _ROW.replace("r = i", "r = j")
_IN_MATRIX = "np.where(a.max() > a[0, 0], {}.astype(np.int32), 0)"
_FIRST_ROW = _IN_MATRIX.format("a.max(axis=1).argmax()")
_FIRST_COLUMN = _IN_MATRIX.format("a.argmax(axis=1)[a.max(axis=1).argmax()]")
_AT_LAST = "np.where(a > 0.0, np.arange(a.shape[0]), {}).max().astype(np.int32)"
_LATEST = f"np.where((a > 0.0).any(), {_AT_LAST.format(-9223372036854775808)}, -1)"
_LAST = "(a.shape[0] - 1 - a[::-1].argmax()).astype(np.int32)"
_AS_FOLDS = "np.where(a == a.max(), np.arange(a.shape[0]), 9223372036854775807).min().astype(np.int32)"
_STARTED = "np.where(a.max() > 0.0, a.argmax().astype(np.int32), -1)"

# A C function, programs that are its lift, and programs that are not.
FAMILIES: dict[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    "first greatest": (
        _search(">"),
        ("a.argmax().astype(np.int32)", "np.argmax(a, axis=0).astype(np.int32)", _AS_FOLDS),
        {
            "a.argmin().astype(np.int32)": UNEQUAL,
            "(a * a).argmax().astype(np.int32)": UNEQUAL,
            "(1 + a.argmax()).astype(np.int32)": UNEQUAL,
            "a[::-1].argmax().astype(np.int32)": UNEQUAL,
            _LAST: UNEQUAL,
            "(1 + a[1:].argmax()).astype(np.int32)": OBLIGATION,
            "a.max().astype(np.int32)": UNEQUAL,
            _AS_FOLDS.replace("min", "max"): UNEQUAL,
            _AS_FOLDS.replace("==", "!="): UNEQUAL,
            _AS_FOLDS.replace("a.max()", "a.min()"): UNEQUAL,
            _AS_FOLDS.replace("9223372036854775807", "0"): UNEQUAL,
        },
    ),
    "from its own start": (
        _search(">", first="0"),
        ("a.argmax().astype(np.int32)",),
        {_LAST: UNEQUAL, "a.argmin().astype(np.int32)": UNEQUAL},
    ),
    "last greatest": (
        _search(">="),
        (_LAST,),
        {
            "a.argmax().astype(np.int32)": UNEQUAL,
            _LAST.replace("max", "min"): UNEQUAL,
            _LAST.replace("- 1", "- 2"): UNEQUAL,
        },
    ),
    "last of those and the start": (
        _search(">=", first="0"),
        (_LAST,),
        {"a.argmax().astype(np.int32)": UNEQUAL},
    ),
    "first greatest by its place alone": (
        _place_alone(">"),
        ("a.argmax().astype(np.int32)", _AS_FOLDS),
        {
            "a.argmin().astype(np.int32)": UNEQUAL,
            _LAST: UNEQUAL,
            "(1 + a.argmax()).astype(np.int32)": UNEQUAL,
            "(1 + a[1:].argmax()).astype(np.int32)": OBLIGATION,
        },
    ),
    "last greatest by its place alone": (
        _place_alone(">="),
        (_LAST,),
        {"a.argmax().astype(np.int32)": UNEQUAL, _LAST.replace("- 1", "- 2"): UNEQUAL},
    ),
    "a place alone that begins in the middle": (
        _place_alone(">", "n / 2"),
        (),
        {"a.argmax().astype(np.int32)": UNEQUAL, _LAST: UNEQUAL},
    ),
    "the latest index that meets a condition": (
        _latest("-1"),
        (_LATEST,),
        {
            _LATEST.replace(">", ">="): UNEQUAL,
            _LATEST.replace("-1)", "0)"): UNEQUAL,
            _LATEST.replace("-9223372036854775808", "9223372036854775807").replace("max", "min"): UNEQUAL,
            _AT_LAST.format(-2): UNEQUAL,
            _AT_LAST.format(0): UNEQUAL,
        },
    ),
    "the latest index, or else a place after it": (
        _latest("n"),
        (_LATEST.replace("-1)", "a.shape[0])"),),
        {_LATEST: UNEQUAL, _AT_LAST.format("a.shape[0]"): UNEQUAL},
    ),
    "one off": (
        _search(">", place="1", index="i + 1"),
        ("(1 + a.argmax()).astype(np.int32)",),
        {"a.argmax().astype(np.int32)": UNEQUAL},
    ),
    "a place that is none of the first cell": (
        _search(">", place="3"),
        (),
        {"a.argmax().astype(np.int32)": UNEQUAL, "(3 + a.argmax()).astype(np.int32)": UNEQUAL},
    ),
    "a start that is no cell": (
        _search(">", start="0.0", place="-1", first="0"),
        (_STARTED,),
        {
            "a.argmax().astype(np.int32)": UNEQUAL,
            _STARTED.replace(">", ">="): UNEQUAL,
            _STARTED.replace("-1", "0"): UNEQUAL,
            _STARTED.replace("0.0", "1.0"): UNEQUAL,
        },
    ),
    "a start that ties with the first cell, and is another place": (
        _search(">=", place="1", index="i"),
        (),
        {_LAST: UNEQUAL},
    ),
    "products in single precision": (
        _SQUARES,
        ("(a * a).argmax().astype(np.int32)",),
        {
            "(a.astype(np.float64) * a.astype(np.float64)).argmax().astype(np.int32)": UNEQUAL,
            "(a * a)[::-1].argmax().astype(np.int32)": UNEQUAL,
        },
    ),
    "products in double precision": (
        _SQUARES.replace("float", "double"),
        ("(a * a).argmax().astype(np.int32)",),
        {"(a.astype(np.float32) * a.astype(np.float32)).argmax().astype(np.int32)": UNEQUAL},
    ),
    "what is at the place": (
        _VALUE,
        (_TAKEN,),
        {
            _TAKEN.replace("max", "min"): UNEQUAL,
            _TAKEN.replace("a[1, a[0]", "a[1, a[1]"): UNEQUAL,
            _TAKEN.replace("a[1, a[0]", "a[0, a[0]"): UNEQUAL,
            _TAKEN.replace("a[0].argmax()", "1 + a[0].argmax()"): OBLIGATION,
        },
    ),
    "the row": (
        _ROW,
        (_FIRST_ROW,),
        {
            _FIRST_ROW.replace("axis=1", "axis=0"): UNEQUAL,
            _FIRST_ROW.replace("max", "min"): UNEQUAL,
            _FIRST_ROW.replace(".max(axis=1)", "[:, 0]"): UNEQUAL,
        },
    ),
    "the column": (
        _COLUMN,
        (_FIRST_COLUMN,),
        {
            _IN_MATRIX.format("a.max(axis=0).argmax()"): UNEQUAL,
            _FIRST_COLUMN.replace("a.argmax(axis=1)", "a.argmin(axis=1)"): UNEQUAL,
            _FIRST_COLUMN.replace("axis=1)[", "axis=0)["): OBLIGATION,
        },
    ),
    "infinity to start from": (
        _search(">", start="-__builtin_inf()", place="0", first="0"),
        (),
        {"a.argmin().astype(np.int32)": UNEQUAL},
    ),
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_right_program_is_proved(accept: Accept, family: str) -> None:
    source, right, _ = FAMILIES[family]
    for body in right:
        accept(source, f"def f(a):\n    return {body}\n")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_wrong_program_is_rejected(reject: Reject, family: str) -> None:
    source, _, wrong = FAMILIES[family]
    for body, code in wrong.items():
        assert reject(source, f"def f(a):\n    return {body}\n") == code, body
