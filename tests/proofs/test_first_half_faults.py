"""Literal IR that computes something else than the definitions, and claims that would hide it: none is taken."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from bench.claim_mutants import outcome
from bench.first_half import Subject, decide, subjects

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import Definition, KeptLoop
from tensorlift.deep import with_deep_stack
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.polynomial import Polynomial
from tensorlift.proofs.source.claims import Advance, Claims, LoopClaim
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.comprehension.state import Piece

_ONE, _TWO = terms.constant(1, "f64"), terms.constant(2, "f64")


def _subject(text: str) -> Subject:
    found = dict(with_deep_stack(partial(subjects, source_from_text(text, "f.c")))).popitem()[1]
    assert isinstance(found, Subject), found
    return found


def _literal(text: str) -> ModuleOp:
    def read() -> ModuleOp:
        function = read_functions(source_from_text(text, "f.c"), LiftOptions())[-1]
        assert function.literally is not None
        return function.literally()

    return with_deep_stack(read)


def _answer(subject: Subject, literal: ModuleOp) -> str:
    return with_deep_stack(partial(decide, subject, literal))


_TURN = (
    "void f(int n, int k, double *x, double *y) { int p = 0; for (int j = 0; j < n; j++) { double s = 0;"
    " for (int i = 0, q = p; i < 3; i++, q++) s += y[q]; x[j] = s; if (j >= k) p += 2; } }"
)
_ROWS = "void f(int m, int n, double a[m][n], double b[m][n]) { for (int i = 1; i < m; i++) {"
_SWEEP = "void f(int n, double x[n][n]) { for (int j = 0; j < n; j++)"


@pytest.mark.parametrize(
    ("definitions", "literal"),
    [
        pytest.param(_TURN, _TURN.replace(">= k", "> k"), id="a turn one iteration later"),
        pytest.param(_TURN, _TURN.replace(">= k", "<= k"), id="a turn the other way"),
        pytest.param(_TURN, _TURN.replace("+= 2", "+= 1"), id="a turn to another step"),
        pytest.param(_TURN, _TURN.replace("p = 0", "p = 1"), id="a turn from another place"),
        pytest.param(
            "void f(double a, double *x) { x[0] = 7; }",
            "void f(double a, double *x) { double t; if (a > 0) t = 2; x[0] = t; }",
            id="defined in one case",
        ),
        pytest.param(
            "void f(int n, int d, double *x) { int m = n / d; for (int i = 0; i < m; i++) x[i] = 2; }",
            "void f(int n, int d, double *x) { int m = (n + 1) / d; for (int i = 0; i < m; i++) x[i] = 2; }",
            id="a quotient of another size",
        ),
        pytest.param(
            "void f(int n, int d, double *x) { int m = n / d; for (int i = 0; i < m; i++) x[i] = 2; }",
            "void f(int n, int d, double *x) { int m = n / (d + 1); for (int i = 0; i < m; i++) x[i] = 2; }",
            id="a quotient by another size",
        ),
        pytest.param(
            (
                "void f(int n, double *x) { double s[1], t[1]; s[0] = 1; t[0] = 2;"
                " for (int i = 0; i < 9; i++) x[1] = 0; x[0] = 0; }"
            ),
            (
                "void f(int n, double *x) { double s[1], t[1]; s[0] = 1; t[0] = 2;"
                " for (int i = 0; i < 9; i++) { x[1] = 0; s[0] = 1; t[0] = 3; } x[0] = s[0] - t[0]; }"
            ),
            id="two unknown values",
        ),
        pytest.param(
            "void f(int n, double *x) { for (int i = 1; i < n; i++) x[i] = 2; }",
            (
                "void f(int n, double *x) { for (int i = 1; i < n; i++) {"
                " unsigned long u = i * 0x4000000000000000ul; x[i] = u < 5 ? 1 : 2; } }"
            ),
            id="64 bits wrap, unsigned",
        ),
        pytest.param(
            "void f(int n, double *x) { for (int i = 1; i < n; i++) x[i] = 2; }",
            (
                "void f(int n, double *x) { for (int i = 1; i < n; i++) {"
                " unsigned long u = i * 0x4000000000000000ul; x[i] = (long)u < 0 ? 1 : 2; } }"
            ),
            id="64 bits wrap, signed",
        ),
        pytest.param(
            "long f(int n, int *x) { long s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
            "long f(int n, int *x) { unsigned s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
            id="a narrower sum",
        ),
        pytest.param(
            "void f(int n, short *x) { for (int i = 0; i < n; i++) x[i] = x[i] + 1; }",
            "void f(int n, int *x) { for (int i = 0; i < n; i++) x[i] = x[i] + 1; }",
            id="wider cells",
        ),
        pytest.param(
            "void f(int n, double a, double *x) { x[0] = a * a; }",
            "void f(int n, float a, double *x) { x[0] = a * a; }",
            id="a narrower argument",
        ),
        pytest.param(
            "void f(int n, _Bool *x) { x[0] = 1; }",
            "void f(int n, unsigned char *x) { x[0] = 2; }",
            id="a byte for a truth value",
        ),
        pytest.param(
            "int f(int n, int *x) { return x[0]; }", "long f(int n, int *x) { return x[0]; }", id="a wider result"
        ),
        pytest.param(
            "void f(int n, int *x) { x[0] = 1; }", "int f(int n, int *x) { x[0] = 1; return 3; }", id="one more result"
        ),
        pytest.param(
            "void f(int n, double *x) { double t[1]; t[0] = 1; x[0] = t[0]; }",
            "void f(int n, double *x, double *t) { t[0] = 1; x[0] = t[0]; }",
            id="an argument called as a local array",
        ),
        pytest.param(
            "static int t; void f(int n, int *x) { x[0] = t; }",
            "void f(int n, int *x, int t) { x[0] = t; }",
            id="an argument called as a variable at file scope",
        ),
        pytest.param(
            "int f(int n, const int *x) { for (int i = 0; i < n; i++) if (x[i] == 7) return i; return -5; }",
            (
                "int f(int n, const int *x) { int k = -5; for (int i = 0; i >= 0; i++) {"
                " if (i >= n) { k = -1; break; } if (x[i] == 7) return i; } return k; }"
            ),
            id="a search that ends elsewhere than at its header",
        ),
        pytest.param(
            "void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[i]; }",
            "void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) { y[i] = 0; y[i] += x[i]; } }",
            id="arrays that may be the same",
        ),
        pytest.param(
            "void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[n - 1]; }",
            "void f(int n, double *x, double *y) { for (int i = n - 1; i >= 0; i--) y[i] = x[n - 1]; }",
            id="arrays that may overlap",
        ),
        pytest.param(
            "void f(int n, double *x, double *b) { for (int i = 1; i < n; i++) x[i] = b[i] / x[i - 1]; }",
            "void f(int n, double *x, double *b) { for (int i = 1; i < n; i++) { x[i] = 0; x[i] = b[i] / x[i - 1]; } }",
            id="arrays that may be the same, in a loop that stays",
        ),
        pytest.param(
            "double f(int n, double v, double a, const double *x)"
            " { double r = -1; for (int i = 0; i < n; i++) if (x[i] > v) { r = a * n; break; } return r; }",
            "double f(int n, double v, double a, const double *x)"
            " { double u, r = -1; for (int i = 0; u = a * i, i < n; i++) if (x[i] > v) { r = u; break; } return r; }",
            id="what the head of a search computes, at its hit",
        ),
        pytest.param(
            "void f(double v, const double x[8], double *y)"
            " { int k = 0; for (int i = 0; i < 8; i++) if (x[i] > v) { k = 1; break; } y[0] = k; y[1] = 16; }",
            "void f(double v, const double x[8], double *y) { int u; int k = 0;"
            " for (int i = 0; u = i * 2, i < 8; i++) if (x[i] > v) { k = 1; break; } y[0] = k; y[1] = u; }",
            id="what the head of a search computes, behind it",
        ),
        pytest.param(
            "double f(int n, const double *x) { double s = 0; int i = 0; if (n < 5) return 0;"
            " do { s += x[i]; if (i >= 3) s += 5; i++; } while (i < n); return s; }",
            "double f(int n, const double *x) { double s = 0, t; int i = 0; if (n < 5) return 0;"
            " do { t = x[i]; t = s + t; i++; s = t; } while (i <= 3 || (s = t + 5, i < n)); return t; }",
            id="what another edge of a loop hands on",
        ),
        pytest.param(
            f"{_ROWS} for (int k = 1; k < n; k++) b[i][k] = b[i][k - 1] / a[i][k]; }} }}",
            f"{_ROWS} for (int k = 1; k < n; k++) b[i][k] = b[i - 1][k - 1] / a[i][k]; }} }}",
            id="a row that an earlier one decides",
        ),
        pytest.param(
            f"{_ROWS} for (int k = 1; k < n; k++) b[i][k] = b[i][k - 1] / a[i][k]; }} }}",
            f"{_ROWS} for (int k = 1; k < n; k++) if (i < 7) b[i][k] = b[i][k - 1] / a[i][k]; }} }}",
            id="rows that are left out",
        ),
        pytest.param(
            f"{_ROWS} double h = 1; for (int k = 0; k < n; k++) {{ h = h / a[i][k]; b[i][k] = h; }} }} }}",
            f"{_ROWS} double h = i; for (int k = 0; k < n; k++) {{ h = h / a[i][k]; b[i][k] = h; }} }} }}",
            id="another number at the start of a row",
        ),
        pytest.param(
            f"{_ROWS} for (int k = 1; k < n; k++) b[i][k] = b[i][k - 1] / a[i][k]; }} }}",
            f"{_ROWS} b[0][1] = 3; for (int k = 1; k < n; k++) b[i][k] = b[i][k - 1] / a[i][k]; }} }}",
            id="a cell of no row",
        ),
        pytest.param(
            f"{_SWEEP} for (int i = j % 2; i < n; i += 2) x[j][i] = 1; }}",
            f"{_SWEEP} for (int i = 1 - j % 2; i < n; i += 2) x[j][i] = 1; }}",
            id="the other colour",
        ),
        pytest.param(
            f"{_SWEEP} for (int i = j < 3 ? 0 : j - 3; i < n; i++) x[j][i] = 1; }}",
            f"{_SWEEP} for (int i = j < 3 ? 0 : j - 2; i < n; i++) x[j][i] = 1; }}",
            id="another one of the places where a loop begins",
        ),
    ],
)
def test_other_literal_ir_is_not_taken(definitions: str, literal: str) -> None:
    subject = _subject(definitions)
    assert _answer(subject, subject.module) == "decided"
    assert _answer(subject, _literal(literal)).startswith("undecided")


_KEPT = "for (int i = 1; i < n; i++) x[i] = x[i] / x[i - 1];"


def test_a_number_that_a_loop_that_stays_changes_is_not_known_after_it() -> None:
    function = (
        "void f(int n, double *x, double *y) {"
        " double s = 1; for (int t = 0; t < 9; t++) { s = s * x[0]; %s } y[0] = %s; }"
    )
    subject = _subject(function % (_KEPT, "1"))
    assert _answer(subject, subject.module) == "decided"
    assert _answer(subject, _literal(function % (_KEPT, "s"))).startswith("undecided")


def test_a_loop_that_stays_is_one_of_the_definitions() -> None:
    function = "void f(int n, double *x, double *y) { for (int t = 0; t < 9; t++) { %s } y[0] = 1; }"
    subject = _subject(function % _KEPT)
    header = min(h for h, claim in subject.claims.loops.items() if claim.item is not None)
    claim: Any = subject.claims.loops[header]
    ((_, last), _) = subject.summary.outputs
    item = replace(claim.item, carried=tuple(replace(c, name=last, after=last) for c in claim.item.carried))
    made = subject._replace(claims=Claims({**subject.claims.loops, header: replace(claim, item=item)}))
    literal = _literal(function % "for (int i = 1; i < n; i++) y[0] = y[0];")
    assert "not that of the definitions" in _answer(made, literal)


def _overlapping(claim: LoopClaim) -> LoopClaim:
    """Say of all cells but the first what they are, and at the end something else besides."""
    cell, before = "x_x0", at_least("n", "i")
    pieces: list[Piece] = [
        (Domain.of(equal(cell, 0), at_least("i", 1), before), _ONE),
        (Domain.of(at_least(cell, 1), less(cell, "i"), before), _TWO),
        (Domain.of(at_least(cell, 1), less(cell, "n"), equal("i", "n")), _ONE),
    ]
    return replace(claim, states={"x": pieces})


def _over(claim: LoopClaim, variable: str) -> LoopClaim:
    values = {claim.variable: affine(variable)}
    states = {
        array: [(d.rename({claim.variable: variable}), rewrite.substitute(t, values)) for d, t in pieces]
        for array, pieces in claim.states.items()
    }
    return replace(claim, variable=variable, states=states)


_ONES = "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }"


@pytest.mark.parametrize(
    ("definitions", "literal", "change", "why"),
    [
        (
            _ONES,
            "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = i < 1 ? 1 : 2; }",
            _overlapping,
            "is said twice",
        ),
        (
            "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = i * i; }",
            "void f(int n, double *x) { int j = 0; for (int i = 0; i < n; i++) { x[i] = j; j += i; } }",
            lambda claim: replace(claim, phis=(Advance(Polynomial.constant(1)), Advance(Polynomial.variable("i")))),
            "depends on more than is known",
        ),
        (
            "void f(int n, double *x) { x[0] = 1; if (n > 1) x[1] = 1; }",
            "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }",
            lambda _: LoopClaim(1, "i", (Affine(0),), (Affine(1),), -1, (Advance(Polynomial.constant(1)),)),
            "does not go up",
        ),
        (
            "void f(int n, double x[n]) { for (int i = 0; i < 10; i++) x[i] = i; }",
            "void f(int n, double x[n]) { for (int i = 0; i < 10; i++) x[i] = n; }",
            lambda claim: _over(claim, "n"),
            "another meaning",
        ),
        (
            "void f(int n, double *x) { double s = 1, t = 2; for (int i = 0; i < n; i++) s *= 2, t *= 3; x[0] = t; }",
            "void f(int n, double *x) { double s = 1, t = 2; for (int i = 0; i < n; i++) s *= 2, t *= 3; x[0] = s; }",
            lambda claim: replace(claim, phis=tuple("t" if phi == "s" else phi for phi in claim.phis)),
            "not names of their own",
        ),
        (
            _ONES,
            "void f(int n, double *x) { double s = 0; for (int i = 0; i < n; i++) { s = s + 1; x[i] = 1; } }",
            lambda claim: replace(claim, phis=("x", *claim.phis)),
            "x has another type",
        ),
    ],
)  # fmt: skip
def test_claims_that_make_no_sense_are_not_taken(
    definitions: str, literal: str, change: Callable[[LoopClaim], LoopClaim], why: str
) -> None:
    subject, module = _subject(definitions), _literal(literal)
    known = subject.claims.loops.get(1, LoopClaim(1, "i", (), (), 1, ()))
    claims = Claims({1: change(known)})
    assert why in _answer(subject._replace(claims=claims), module)


_ELSEWHERE = (Domain.of(at_least("x_x0", 1)), _TWO)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda d: replace(d, dtype="f32"), "has not the type, the shape and the subscripts"),
        (lambda d: replace(d, shape=(d.shape[0] + 1,)), "has not the type, the shape and the subscripts"),
        (lambda d: replace(d, indices=("n",)), "has not the type, the shape and the subscripts"),
        (lambda d: replace(d, domain=d.domain & Domain.of(at_least("x_x0", 1))), "does not say what all cells"),
        (lambda d: replace(d, pieces=(*d.pieces, _ELSEWHERE)), "is said twice"),
        (lambda d: replace(d, pieces=((_ELSEWHERE[0], d.pieces[0][1]),)), "does not say what all cells"),
        (lambda d: replace(d, pieces=((d.domain, terms.piecewise([_ELSEWHERE, _ELSEWHERE])),)), "is said twice"),
    ],
)
def test_definitions_that_say_something_else_to_the_second_half_are_not_taken(
    change: Callable[[Definition], Definition], why: str
) -> None:
    subject = _subject(_ONES)
    (definition,) = subject.summary.items
    assert isinstance(definition, Definition)
    made = subject._replace(summary=replace(subject.summary, items=(change(definition),)))
    assert why in _answer(made, subject.module)


def test_two_definitions_have_two_names() -> None:
    subject = _subject(_ONES)
    made = subject._replace(summary=replace(subject.summary, items=(*subject.summary.items, *subject.summary.items)))
    assert "not names of their own" in _answer(made, subject.module)


def test_a_definition_does_not_read_itself() -> None:
    subject = _subject(_ONES)
    (definition,) = subject.summary.items
    assert isinstance(definition, Definition)
    itself = terms.read(definition.name, tuple(map(Affine.var, definition.indices)), definition.dtype)
    items = (replace(definition, pieces=((definition.domain, itself),)),)
    made = subject._replace(summary=replace(subject.summary, items=items))
    assert "read before it is defined" in _answer(made, subject.module)


def test_a_loop_of_the_definitions_runs_all_iterations() -> None:
    subject = _subject(f"void f(int n, double *x) {{ {_KEPT} }}")
    (loop,) = subject.summary.items
    assert isinstance(loop, KeptLoop)
    assert _answer(subject, subject.module) == "decided"
    fewer = replace(loop, domain=loop.domain & Domain.of(at_least(loop.variable, 2)))
    made = subject._replace(summary=replace(subject.summary, items=(fewer,)))
    assert "leaves out iterations" in _answer(made, subject.module)


def test_definitions_and_claims_that_are_changed_are_rejected_or_right() -> None:
    kinds = Counter(outcome(seed).kind for seed in range(24))
    assert not {kind for kind in kinds if "wrong" in kind or "without" in kind}
    assert kinds["rejected"] > 10


@pytest.mark.parametrize(
    "body",
    [
        "int i = 0; L: x[i] = 1; i++; if (i < n) goto L;",
        "for (;;) x[0] = 1;",
        "switch (n) { case 1: x[0] = 1; break; case 2: x[0] = 3; default: x[0] = 2; }",
        "int i = 0; if (n > 3) goto M; L: x[0] = i; M: i++; if (i < n) goto L;",
        "for (int i = 0; i < n; i++) { while (1) x[0] = 1; }",
        "".join(f"x[{i}] = {i} * x[{i + 1}];" for i in range(60)),
        "".join(f"if (x[{i}] > 0) {{ if (x[{i}] > 5) return; x[{i}] = 1; }}" for i in range(30)),
    ],
)
def test_any_control_has_an_answer(body: str) -> None:
    subject = _subject("void f(int n, double *x) { x[0] = 5; }")
    assert _answer(subject, _literal(f"void f(int n, double *x) {{ {body} }}")).startswith("undecided")


def _stores(changed: str = "") -> str:
    """Store to 70 cells in a row, and what some of them hold to another array; one store may be another one."""
    stores = [*(f"a[{k}] = {k}.5;" for k in range(70)), "b[0] = a[35] + a[0];", "a[0] = 9;"]
    body = (changed if store.split(" = ")[0] == changed.split(" = ", maxsplit=1)[0] else store for store in stores)
    return f"void f(double a[71], double b[1]) {{ {' '.join(body)} }}"


def test_a_row_of_stores_is_decided() -> None:
    assert _answer(_subject(_stores()), _literal(_stores())) == "decided"


@pytest.mark.parametrize(
    "changed", ["a[3] = 3.25;", "a[40] = 40.25;", "a[69] = 69.25;", "b[0] = a[36] + a[0];", "a[17] = a[16];"]
)
def test_a_row_of_stores_that_is_another_in_one_place_is_not_decided(changed: str) -> None:
    assert _answer(_subject(_stores()), _literal(_stores(changed))) != "decided"
