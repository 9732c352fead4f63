"""The first half of the proof for C++: what is decided, and that sources which compute something else are not."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from bench.first_half import Subject, changed, decide, differs, inputs, subjects

from tensorlift.deep import with_deep_stack
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.proofs.source.claims import Claims
from tensorlift.source import source_from_text
from tensorlift.summarize.claims import claims_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_BENCH = Path("bench")
_HEAD = "#include <algorithm>\n#include <numeric>\n#include <vector>\nusing V = std::vector<double>;\n"


def _subject(text: str, name: str = "f") -> Subject:
    found = dict(with_deep_stack(partial(subjects, source_from_text(text, "f.cpp"))))[name]
    assert isinstance(found, Subject), found
    return found


def _answer(definitions: str, literal: str) -> str:
    """Ask about the definitions of one text and the literal IR of another, with the claims that fit it best."""
    subject, other = _subject(_HEAD + definitions), with_deep_stack(partial(_literal, _HEAD + literal))
    claims = claims_of(subject.function(other), subject.summary, subject.view.literal_names)
    return with_deep_stack(partial(decide, subject._replace(claims=claims), other))


def _literal(text: str) -> ModuleOp:
    function = next(f for f in read_functions(source_from_text(text, "f.cpp"), LiftOptions()) if f.name == "f")
    assert function.literally is not None
    return function.literally()


def test_all_programs_are_decided() -> None:
    left: set[str] = set()
    for path in sorted((_BENCH / "cpp_programs").glob("*.cpp")):
        for name, found in with_deep_stack(partial(subjects, source_from_text(path.read_text("utf-8"), str(path)))):
            if isinstance(found, Subject) and with_deep_stack(partial(decide, found)) != "decided":
                left.add(name)
    assert not left


_COPY = "V f(const V &x) {{ V y(x.size()); for (std::size_t i = 0; i < x.size(); i++) y[i] = {}; return y; }}"
_PUSH = "V f(const V &x) {{ V y; for (double a : x) y.push_back({}); {} return y; }}"
_SUM = "double f(const V &x) {{ return std::accumulate(x.begin(){}, x.end(), 0.0{}); }}"
_AT = "double f(const V &x) {{ double s = 0; for (std::size_t i = 0; i < x.size(); i++) s += x{}; return s; }}"
_ADD = "static void add(double &t, const V &v) { for (double a : v) t += a; } "
_SWAP = (
    "void f(V &u, int n) {{ V v(u); for (int t = 0; t < n; t++) {{"
    " for (std::size_t i = 1; i < u.size(); i++) v[i] = u[i - 1] / 2; {} }} }}"
)


@pytest.mark.parametrize(
    ("definitions", "literal"),
    [
        pytest.param(_COPY.format("x[i]"), _COPY.format("x[x.size() - 1 - i]"), id="another element"),
        pytest.param(_PUSH.format("a", ""), _PUSH.format("a", "y.push_back(1);"), id="one element more"),
        pytest.param(_PUSH.format("a", ""), _PUSH.format("a", "y.pop_back();"), id="one element less"),
        pytest.param(_PUSH.format("a", ""), _PUSH.format("a", "y.clear();"), id="cleared at the end"),
        pytest.param(_PUSH.format("a", ""), _PUSH.format("a", "if (x.size() > 0) y.back() += 1;"), id="changed behind"),
        pytest.param(_SUM.format("", ""), _SUM.format(" + 1", ""), id="a later start"),
        pytest.param(_SUM.format("", ""), _SUM.format("", ", [](double a, double b) { return a - b; }"), id="lambda"),
        pytest.param(
            _ADD + "double f(const V &a, const V &b) { double t = 0; add(t, a); add(t, b); return t; }",
            _ADD + "double f(const V &a, const V &b) { double t = 0; add(t, a); add(t, a); return t; }",
            id="called with the same vector twice",
        ),
        pytest.param(
            "double f(const V &x) { return *std::max_element(x.begin(), x.end()); }",
            "double f(const V &x) { return *std::min_element(x.begin(), x.end()); }",
            id="the least",
        ),
        pytest.param(_SWAP.format("std::swap(u, v);"), _SWAP.format("u = v;"), id="copied, not exchanged"),
        pytest.param(
            "void f(V &x) { for (auto &a : x) a *= 2; }", "void f(V &x) { for (auto a : x) a *= 2; }", id="by value"
        ),
        pytest.param(
            "void f(V &x, unsigned n) { for (unsigned i = 0; i < n; i++) x[i] = x[i] + 1; }",
            "void f(V &x, unsigned n) { for (unsigned i = 1; i - 1 < n; i++) x[i - 1] = x[i] + 1; }",
            id="another neighbour",
        ),
        pytest.param(
            _AT.format("[i]"),
            _AT.format(".at(i + 1)"),
            id="throws at the end",
        ),
    ],
)
def test_another_source_is_not_decided(definitions: str, literal: str) -> None:
    assert _answer(definitions, definitions) == "decided"
    assert _answer(definitions, literal).startswith("undecided")


def test_what_is_said_of_memories_is_found_out() -> None:
    subject = _subject(
        _HEAD + "void f(const V &x, V &y) { for (std::size_t k = 0; k < x.size(); k++) { V t(x.size()), u(x.size());"
        " for (std::size_t i = 0; i < x.size(); i++) t[i] = x[i] * 2; y[k] = t[k] + u[k]; } }"
    )
    assert set(subject.claims.memories.values()) == {"t", "u"}
    assert with_deep_stack(partial(decide, subject)) == "decided"
    for memories in ({0: "y", 1: "u"}, {0: "x", 1: "u"}, {0: "t", 1: "t"}, {0: "u", 1: "t"}):
        claims = Claims(subject.claims.loops, memories)
        assert with_deep_stack(partial(decide, subject._replace(claims=claims))).startswith("undecided")


@pytest.mark.parametrize("name", ["affine_layer", "outer_product", "sum_by_reference", "gram_of_class", "heat_steps"])
def test_a_changed_source_is_rejected_or_computes_the_same(name: str) -> None:
    subject = _subject((_BENCH / "cpp_programs" / f"{name}.cpp").read_text(encoding="utf-8"), name)
    rng, became = Random(5), Counter[str]()
    cases = inputs(subject, rng)
    for _ in range(8):
        module, change = changed(subject, rng)
        if with_deep_stack(partial(decide, subject, module)) != "decided":
            became["rejected"] += 1
        else:
            assert not any(differs(subject, case, module) for case in cases), change
    assert cases
    assert became["rejected"]
