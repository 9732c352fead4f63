"""TDS: programs are read back as they are printed, and contractions go by way of matrix products."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlift.diagnostics import LiftError
from tensorlift.synthesis.tactics import shipped_tactics
from tensorlift.synthesis.tactics.load import load_tactics
from tensorlift.synthesis.tactics.reader import Reader
from tensorlift.synthesis.tactics.steps import Program, Step, Tensor, parse_steps
from tensorlift.synthesis.tactics.syntax import Condition, Name, Number, Subscript, plain

if TYPE_CHECKING:
    from pathlib import Path

_NAMES = st.sampled_from(["A", "B", "t1", "x_2", "Row"])
_INDICES = st.sampled_from(["i", "j", "k...", "b..."])
_SINGLE = st.sampled_from(["i", "j", "m"])
_FACTORS = st.one_of(st.integers(-3, 3).filter(bool), st.just("s"))
_SUMS = st.dictionaries(_SINGLE, _FACTORS, min_size=1, max_size=2).map(
    lambda terms: Subscript(tuple((f, n) for n, f in terms.items()))
)
_AXES = st.one_of(
    _INDICES.map(lambda i: (plain(i),)),
    _SUMS.map(lambda s: (s,)),
    st.lists(_INDICES, min_size=2, max_size=3).map(lambda names: tuple(map(plain, names))),
)
_TENSORS = st.builds(Tensor, _NAMES, st.lists(_AXES, max_size=3).map(tuple))
_NUMBERS = st.sampled_from([Fraction(0), Fraction(7), Fraction(5, 2), Fraction(-1, 4)]).map(Number)
_OPERANDS = st.one_of(_TENSORS, st.sampled_from(["alpha", "beta"]).map(Name), _NUMBERS)
_CONDITIONS = st.builds(Condition, _SUMS, st.sampled_from(["<", "<=", ">", ">=", "=="]), _SUMS)
_STEPS = st.one_of(
    st.builds(Step, _TENSORS, st.sampled_from(["matmul", "conv", "add", "max"]), st.tuples(_OPERANDS, _OPERANDS)),
    st.builds(Step, _TENSORS, st.sampled_from(["transpose", "reshape", "neg", "reduce_max"]), st.tuples(_OPERANDS)),
    st.builds(Step, _TENSORS, st.just("triangle"), st.tuples(_TENSORS), st.lists(_CONDITIONS, max_size=2).map(tuple)),
)
_STATEMENT = Reader("C(i, j) += A(i, k) * B(k, j)", "t").statement()
_PROGRAMS = st.builds(Program, _NAMES, st.just((_STATEMENT,)), st.lists(_STEPS, min_size=1, max_size=4).map(tuple))


@given(st.lists(_PROGRAMS, max_size=3))
def test_programs_are_read_back_as_they_are_printed(programs: list[Program]) -> None:
    assert parse_steps("\n".join(map(str, programs)), "t.tds") == programs


def test_the_library_is_read_back_as_it_is_printed() -> None:
    programs = [tactic.program for tactic in shipped_tactics()]
    text = "\n".join(map(str, programs))
    assert parse_steps(text, "t.tds") == programs
    assert [tactic.program for tactic in load_tactics(text, "t.tds")] == programs


def test_a_contraction_is_transposed_and_reshaped_around_a_matrix_product() -> None:
    (tactic,) = load_tactics("def c { pattern = builder C(a, b, c) += A(a, d, c) * B(d, b) }", "t.tdl")
    assert [str(step) for step in tactic.program.steps] == [
        "t1(a, c, d) = transpose(A(a, d, c))",
        "t2([a, c], d) = reshape(t1(a, c, d))",
        "t3([a, c], b) = matmul(t2([a, c], d), B(d, b))",
        "t4(a, c, b) = reshape(t3([a, c], b))",
        "t5(a, b, c) = transpose(t4(a, c, b))",
        "C(a, b, c) = add(C(a, b, c), t5(a, b, c))",
    ]


def test_a_written_out_detour_gives_the_same_kind_of_steps(root: Path) -> None:
    text = (root / "examples" / "ttgt.tdl").read_text(encoding="utf-8")
    (tactic,) = load_tactics(text, "t.tdl")
    assert [step.op for step in tactic.program.steps] == ["reshape", "reshape", "matmul", "reshape", "add", "reshape"]


_WRONG = [
    ("build C(i) = warp(A(i))", "TL321", "there is no operation `warp`"),
    ("build C(i) = add(A(i))", "TL321", "`add` takes 2 operands"),
    ("build C(i) = neg(D(i))", "TL322", "`D` is not bound"),
    ("build D(i) = neg(A(i))", "TL322", "the last step does not make `C(i)`"),
    ("build C(i) = neg(A(d * i))", "TL322", "`d` is not bound"),
    ("build C(i) = neg(A(i, i))", "TL322", "`A` is defined with another number of indices"),
    (
        "build t(i, j) = outer(A(i), A(j)) build C(i) = neg(t(i))",
        "TL322",
        "`t` is defined with another number of indices",
    ),
    ("build t(i, i) = outer(A(i), A(i)) build C(i) = neg(t(i, i))", "TL322", "is not made at different plain indices"),
    ("build C(i) = neg(A(-i...))", "TL321", "the group `i...` stands by itself"),
    ("build C(i) = abs(A(i))", "TL324", "the pattern gives -"),
    ("build C(i) = bitnot(A(i))", "TL324", "its builder is not shown to compute its pattern"),
]


@pytest.mark.parametrize(("step", "code", "message"), _WRONG)
def test_steps_that_do_not_compute_the_pattern_are_refused(step: str, code: str, message: str) -> None:
    with pytest.raises(LiftError) as refusal:
        load_tactics(f"tactic n {{\n  pattern C(i) = -A(i)\n  {step}\n}}", "t.tds")
    assert refusal.value.diagnostics[0].code == code
    assert message in refusal.value.diagnostics[0].message
