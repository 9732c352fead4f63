"""TDL: what is read is what is printed, and what is wrong is refused at its place."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorlift.diagnostics import LiftError
from tensorlift.synthesis.tactics.load import Tactic, load_tactics, shipped_tactics
from tensorlift.synthesis.tactics.reader import Reader
from tensorlift.synthesis.tactics.tablegen_text import as_tablegen

_GEMM = "C(i, j) += A(i, k) * B(k, j)"


@pytest.mark.parametrize(
    "text",
    [
        _GEMM,
        "C(a, b, c) += A(a, c, d) * B(d, b)",
        "s() -= alpha * x(i) * 2.5",
        "O(y, x) += I(s * y + 2 * p, x + q - 1) * W(p, q)",
        "C(b..., i...) = exp(-A(b..., i...)) / (1 + B(i...) - (x - y))",
        "D(f, b) = C(a, b, c) where f = a * c",
        "C(i, j) += A(k, i) * B(k, j) where k > i, k <= 2 * j + 1",
        "m() max= max(A(i, j), select(A(i, j) - 1, B(j), -2))",
        "m(i) min= a * (b - c) * A(i, j) / (2 / B(j))",
    ],
)
def test_a_statement_is_printed_as_it_is_written(text: str) -> None:
    (statement,) = Reader(text, "t.tdl").statements()
    assert str(statement) == text


def test_comments_and_line_ends_do_not_matter() -> None:
    text = f"# all of it\ndef g{{pattern=builder {_GEMM} # and more\n}}"
    (tactic,) = load_tactics(text, "t.tdl")
    assert (tactic.name, [str(s) for s in tactic.pattern]) == ("g", [_GEMM])


_WRONG = [
    ("", "", "TL321", (1, 1), "the file has no tactic"),
    ("", "def g {\n  pattern C(i, j) += A(i, k] * B(k, j)\n}", "TL321", (2, 28), "expected `)`, found `]`"),
    ("", "def g {\n  pattern C(i) = A(i) § 2\n}", "TL321", (2, 23), "`§` is no word"),
    ("", "def g { pattern = builder C(i) = frob(A(i)) }", "TL321", (1, 40), "what stands in front is no function"),
    ("", "def g { pattern = builder C(i) = A(i)", "TL321", (1, 38), "expected `}`, found the end"),
    ("", "def pattern { }", "TL321", (1, 5), "expected the name of the tactic, found `pattern`"),
    ("", "def g { builder C(i) = A(i) }", "TL321", (1, 9), "expected `pattern`, found `builder`"),
    ("", "def g { pattern C(i) = A(i) }", "TL321", (1, 29), "expected `builder`, found `}`"),
    ("", "def g { pattern = builder C(i) *= A(i) }", "TL321", (1, 32), "expected `=` or `+=`"),
    ("", "def g { pattern = builder C(i) = max(A(i)) }", "TL321", (1, 37), "`max` takes 2 operands"),
    ("", "def g { pattern = builder C(i) = A(i + i) }", "TL321", (1, 41), "`i` stands twice"),
    ("", "def g { pattern = builder C(i) = A(1) }", "TL321", (1, 37), "a subscript is a sum of indices"),
    ("", "def g { pattern = builder C(i) = A(1.5 * i) }", "TL321", (1, 36), "whole numbers"),
    ("b", "C(i...) = A(-i...)", "TL321", (1, 44), "the group `i...` stands by itself"),
    ("b", f"C(i) = {'(' * 4000}A(i){')' * 4000}", "TL321", (1, 1), "nested too deeply"),
    ("b", f"C(i) = A(i){' + A(i)' * 4000}", "TL321", (1, 1), "nested too deeply"),
    ("b", "C(i, j) = A(i, k)", "TL322", (1, 27), "the index `k` is not bound by `C(i, j)`"),
    ("b", "C(i, i) = A(i)", "TL322", (1, 27), "is not an array at different plain indices"),
    ("b", "C(i) = A(i) * A(i, i)", "TL322", (1, 41), "`A` is an array with 1 subscripts, and an array with 2"),
    ("b", "C(i) = i * A(i)", "TL322", (1, 27), "`i` is a scalar, and an index here"),
    ("b", "C(i) = A(i) where i > j", "TL322", (1, 27), "the index `j` of a condition is not bound"),
    ("b", "C(i) += A(i, k) where i > i", "TL322", (1, 27), "is not on a folded index"),
    ("b", "T(i) = A(i) C(i) = A(i)", "TL323", (1, 27), "`T` is assigned and never read"),
    ("b", "C(i) += alpha", "TL323", (1, 27), "the value does not depend on the index `i`"),
    (_GEMM, "C(i, j) += A(i, k) * D(k, j)", "TL322", (1, 75), "the array `D` is not bound"),
    (_GEMM, "C(i, j) += alpha * A(i, k) * B(k, j)", "TL322", (1, 65), "the scalar `alpha` is not bound"),
    (_GEMM, "C(i, l) += A(i, k) * B(k, l)", "TL322", (1, 54), "the index `l` is not bound"),
    (_GEMM, "C(i, j) += A(i, k)", "TL323", (1, 5), "the builder does not use `B` of the pattern"),
    ("C(i) = x * A(i)", "C(i) = A(i)", "TL323", (1, 5), "the builder does not use `x` of the pattern"),
    (_GEMM, "D(i, j) += A(i, k) * B(k, j)", "TL322", (1, 54), "assigns `D(i, j)`, not `C(i, j)`"),
    (
        _GEMM,
        "T(f, j) = C(i, j) where f = i * z C(i, j) = T(f, j) where f = i * z",
        "TL322",
        (1, 54),
        "does not name a new",
    ),
    ("b", "C(i, j) = C(i, j) + alpha * A(i) * B(-j)", "TL325", (1, 62), "`B(-j)` is not read at plain indices"),
    ("b", "C(i, j) = A(i) * B(j + 1)", "TL325", (1, 44), "`B(j + 1)` is not read at plain indices"),
    ("b", "C(i, j) += A(i) * B(j, k) where k > i", "TL325", (1, 27), "no array has both indices of the condition"),
    (_GEMM, "C(i, j) = C(i, j) where i > j C(i, j) += A(i, k) * B(k, j)", "TL325", (1, 54), "a part of an array"),
]


@pytest.mark.parametrize(("pattern", "text", "code", "place", "message"), _WRONG)
def test_what_is_wrong_is_refused_at_its_place(
    pattern: str, text: str, code: str, place: tuple[int, int], message: str
) -> None:
    whole = f"def g {{ pattern = builder {text} }}" if pattern == "b" else text
    if pattern not in ("", "b"):
        whole = f"def g {{ pattern {pattern} builder {text} }}"
    with pytest.raises(LiftError) as refusal:
        load_tactics(whole, "t.tdl")
    (diagnostic,) = refusal.value.diagnostics
    assert diagnostic.location is not None
    assert (diagnostic.code, diagnostic.location.line, diagnostic.location.column) == (code, *place)
    assert message in diagnostic.message
    assert diagnostic.remedy


@pytest.mark.parametrize(
    ("read", "remedy"), [("B(j + 1)", "write `j` for `j + 1`"), ("B(i + j)", "read windows in a sum")]
)
def test_the_remedy_for_a_moved_cell_is_loaded(read: str, remedy: str) -> None:
    text = "def g {{ pattern = builder C(i, j) {} }}"
    with pytest.raises(LiftError) as refusal:
        load_tactics(text.format(f"= A(i) * {read}"), "t.tdl")
    assert (refusal.value.diagnostics[0].remedy or "").startswith(remedy)
    mended = "= A(i) * B(j)" if "j +" in read else f"+= {read} * w(j)"
    assert load_tactics(text.format(mended).replace("C(i, j) +=", "C(i) +="), "t.tdl")


_CONTRADICTIONS = [
    ("C(i, j) += A(j, k) * B(k, i)", "at i = 1, j = 0 (for i < 2, j < 1, k < 2) the pattern gives"),
    ("C(i, j) -= A(i, k) * B(k, j)", "at i = 0, j = 0 (for i < 1, j < 1, k < 1) the pattern gives"),
    ("C(i, j) = A(i, j) + B(i, j)", "the pattern gives"),
]


@pytest.mark.parametrize(("builder", "message"), _CONTRADICTIONS)
def test_a_tactic_that_contradicts_itself_is_refused_with_a_counterexample(builder: str, message: str) -> None:
    with pytest.raises(LiftError) as refusal:
        load_tactics(f"def g {{\n  pattern {_GEMM}\n  builder {builder}\n}}", "t.tdl")
    (diagnostic,) = refusal.value.diagnostics
    assert diagnostic.code == "TL324"
    assert message in diagnostic.message
    assert str(diagnostic.location) == "t.tdl:1:5"


def test_two_scalars_exchanged_contradict() -> None:
    text = "def g { pattern C(i) = a * A(i) - b * B(i) builder C(i) = b * A(i) - a * B(i) }"
    with pytest.raises(LiftError, match="the builder "):
        load_tactics(text, "t.tdl")


_WORDS = re.findall(
    r"\S+",
    "( ) , i j k A B += = * / - + where < 1 2.5 1e999 ... pattern builder def { } exp max alpha § as from @f my.op "
    '[ ] < > " Inputs StrExpr M {0,1} reshapeBuilder matmulBuilder linalg.matmul affine.for',
)


@settings(deadline=None)
@given(st.data())
def test_whatever_is_written_is_loaded_or_refused(data: st.DataObject) -> None:
    """Nothing else may happen to the text of a tactic of the library in which some words are others."""
    tactics = shipped_tactics()
    program = tactics[data.draw(st.integers(0, len(tactics) - 1))].program
    pattern = " ".join(map(str, program.pattern))
    texts = {".tdl": f"def g {{ pattern = builder {pattern} }}", ".tds": str(program), "..tds": as_tablegen(program)}
    kind = data.draw(st.sampled_from(list(texts)))
    words = re.findall(r"\w+|\S", texts[kind])
    for _ in range(data.draw(st.integers(1, 3))):
        words[data.draw(st.integers(0, len(words) - 1))] = data.draw(st.sampled_from([*_WORDS, *words]))
    found: tuple[Tactic, ...] = ()
    with suppress(LiftError):
        found = load_tactics(" ".join(words), f"t{kind}")
    for tactic in found:
        (again,) = load_tactics(as_tablegen(tactic.program), "t.tds")
        assert again.pattern == tactic.pattern
