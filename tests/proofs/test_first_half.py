"""The first half of the proof: what the checker decides of sources, and what it does not take."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from bench.first_half import Subject, changed, decide, differs, inputs, subjects
from tests.shared import sampled

from tensorlift.comprehension import rewrite, terms
from tensorlift.deep import with_deep_stack
from tensorlift.ir.function import FunctionView
from tensorlift.poly.affine import affine
from tensorlift.poly.polynomial import ONE
from tensorlift.proofs.source.claims import Advance, Claims, LoopClaim
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BENCH = Path("bench")
_NESTS = ["scale_channels_flat", "repeat_samples", "im2col_by_division"]


def _subject(text: str) -> Subject:
    found = dict(with_deep_stack(partial(subjects, source_from_text(text, "f.c")))).popitem()[1]
    assert isinstance(found, Subject), found
    return found


def _answer(text: str) -> str:
    return with_deep_stack(partial(decide, _subject(text)))


@pytest.mark.parametrize(
    "text",
    [
        "void f(int n, double *x) { for (int i = 0; i < n; i++) if (x[i] > 0) x[i] = x[i] * n; else x[i] = -1; }",
        "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = x[i] > 2 ? 2 : x[i]; }",
        "void f(int n, double *x) { for (int i = 0; i < n; i++) if (i > 2 && x[i] > 1) x[i] = 0; }",
        "void f(int n, double *x) { double *p = x; for (int i = 0; i < n; i++) *p++ = 0; }",
        "int f(int n, double *x) { if (!x) return -1; for (int i = 0; i < n; i++) x[i] = 0; return 0; }",
        "void f(int n, double *x) { while (n > 0) x[--n] = 0; }",
        "void f(int n, double *x) { for (unsigned i = 0; i < 7; i++) x[i] = i; }",
        "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = (float)x[i]; }",
        "void f(int n, double *x) { for (int i = n - 1; i >= 0; i--) x[i] += i; }",
        "void f(int n, double *x) { for (int i = 0; i < n; i += 2) x[i] = 0; }",
        "void f(int n, double *x) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }",
        "void f(int n, double *x) { for (int t = 0; t < 9; t++) for (int i = 1; i < n; i++) x[i] = x[i] / x[i - 1]; }",
        "double f(int n, double *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s / n; }",
        "double f(int n, double *x) { double m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i]; return m; }",
        (
            "void f(int n, int m, int ld, float *a) {"
            " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * ld + j] *= 2; }"
        ),
        "void f(int n, double a[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i][j] = a[j][i]; }",
        (
            "void f(int n, double *x, double *y) {"
            " double t[n]; for (int i = 0; i < n; i++) t[i] = x[i]; for (int i = 0; i < n; i++) y[i] = t[n - 1 - i]; }"
        ),
        "void f(int n, const _Bool *b, double *x) { for (int i = 0; i < n; i++) if (b[i]) x[i] = 0; }",
        "void f(int n, unsigned char *x) { for (int i = 0; i < n; i++) x[i] = x[i] * 3 >> 1; }",
        "int f(int n, int *x) { int c = 0; for (int i = 0; i < n; i++) if (x[i]) c++; return c; }",
        "static double h; void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = h * x[i]; }",
        "void f(int n, double *x) { int i = 0; do { x[i] = 1; i++; } while (i < n); }",
        "double f(int n, double *x) { double s = 0; int i = 0; do s += x[i]; while (++i < n); return s; }",
        "void f(int n, int m, double *x) { for (int i = 0; i < n && i < m; i++) x[i] = 0; }",
        "void f(int n, const int *p, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[p[i]]; }",
        "void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[i > 2 ? i - 2 : 0]; }",
        (
            "static int h(int v) { return v > 9 ? 9 : v; }"
            " void f(int n, int *x) { for (int i = 0; i < n; i++) x[i] = h(x[i]); }"
        ),
        "int f(int n, int *x) { for (int i = 0; i < n; i++) if (x[i] == 7) return i; return -1; }",
        "int f(int n, int *x) { int k = n; for (int i = 0; i < n; i++) if (x[i] == 7) { k = i; break; } return k; }",
        "void f(int n, double *x, double *b) { for (int i = 1; i < n; i++) { x[i] = b[i]; x[i] = x[i] / x[i - 1]; } }",
        "int f(int n, double *x) { int k = 0; while (k < n && x[k] < 3) k++; return k; }",
        "int f(int n, int *x) { int all = 1; for (int i = 0; i < n; i++) all = all && x[i] > 0; return all; }",
        (
            "struct m { int n, m; double *x; }; void f(const struct m *a, struct m b) {"
            " for (int i = 0; i < a->n; i++) for (int j = 0; j < a->m; j++) b.x[j * a->n + i] = a->x[i * a->m + j]; }"
        ),
        (
            "struct s { int n; double sum, last[4]; }; void f(struct s *s, int n, double *x) {"
            " for (int i = 0; i < n; i++) s->sum += x[i]; for (int k = 0; k < 4; k++) s->last[k] = x[k]; s->n++; }"
        ),
        (
            "struct c { float re, im, w[3]; }; void f(int n, struct c *x, struct c *y) { for (int i = 0; i < n; i++) {"
            " struct { float re, im; } t; t.re = x[i].im; t.im = -x[i].re; y[i].re = t.re; y[i].w[2] = t.im; } }"
        ),
        (
            "void f(int n, int m, int **a, int **b) {"
            " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = b[i][j]; }"
        ),
        (
            "struct m { int n; double **x; }; static double g(struct m *a, int i) { return a->x[i][i]; }"
            " double f(struct m *a) { double s = 0; for (int i = 0; i < a->n; i++) s += g(a, i); return s; }"
        ),
        "void f(int n, double *x, double *y) { for (int i = 0; i < n * n; i++) y[i] = x[i / n] + x[i % n]; }",
        "void f(int n, int m, double *x) { for (int i = n * m - 1; i >= 0; i--) x[i] *= 2; }",
        "void f(int n, int m, double a[n][m]) { double *p = &a[0][0]; for (int i = 0; i < n * m; i++) *p++ = 1; }",
        "double f(int n, int m, double *x) { double s = 0; for (int i = 0; i < m * n; i++) s += x[i]; return s; }",
        (
            "void f(int n, int m, double *s, double *x) { for (int g = 0; g < n; g++) s[g] = 0;"
            " for (int i = 0; i < n * m; i++) s[i / m] += x[i]; }"
        ),
        "void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[(i + n - 1) % n]; }",
        (
            "#include <string.h>\nvoid f(int n, int m, float *x) { memset(x, 0, n * m * sizeof *x);"
            " for (int i = 0; i < n; i++) x[i * m] = 1; }"
        ),
        "void f(int n, int m, float *x, float *y) { for (long i = 0; i < (long)n * m; i++) y[i] = x[i] / x[0]; }",
        "void f(int n, double u[n][n]) { for (int j = 0; j < n; j++) for (int i = j & 1; i < n; i += 2) u[j][i] = 1; }",
        (
            "void f(int n, int m, double a[n][m], double b[n][m]) { for (int i = 0; i < n; i++) { b[i][0] = 1;"
            " for (int j = 1; j < m; j++) b[i][j] = a[i][j] / b[i][j - 1]; } }"
        ),
        (
            "void f(int t, int n, double b[n][n], double c[n][n]) { for (int k = 0; k < t; k++)"
            " for (int i = 1; i < n - 1; i++) { double h = 1; for (int j = 1; j < n; j++) { h = b[i][j] / h;"
            " c[i][j] = c[i][j - 1] * h; } for (int j = n - 2; j >= 0; j--)"
            " b[i][j] = c[i][j] - b[i][j + 1] * b[i][j]; } }"
        ),
    ],
)
def test_what_is_decided(text: str) -> None:
    assert _answer(text) == "decided"


def test_a_pointer_is_null_where_nothing_else_is_stated() -> None:
    subject = _subject("int f(double *x) { if (!x) return -1; x[0] = 1; return 0; }")
    operation = subject.view.func_op
    assert "not a null pointer" in str(operation.attributes.pop("tl.requires"))
    subject = subject._replace(view=FunctionView(operation), plain=FunctionView(operation))
    assert with_deep_stack(partial(decide, subject)) == "undecided: it is not stated that this is not so: x null"


def test_all_kernels_are_decided() -> None:
    left: set[str] = set()
    for path in sorted((_BENCH / "kernels").glob("*/*.c")):
        for name, found in with_deep_stack(partial(subjects, source_from_text(path.read_text("utf-8"), str(path)))):
            if isinstance(found, str) or with_deep_stack(partial(decide, found)) != "decided":
                left.add(name)
    assert not left


@cache
def _kernel(name: str) -> Subject:
    path = min((*_BENCH.glob(f"**/{name}.c"), *(_BENCH.parent / "tests" / "programs").glob(f"{name}.c")))
    return _subject(path.read_text(encoding="utf-8"))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    "name",
    [
        "matmul", "covariance", "syrk", "gemm_nn", "lmsfir2", "floyd_warshall", "histogram",
        "matrix_add_matrix", "complex_multiply_structs", "matrix_struct_transpose", "fir_with_state",
        "scale_channels_flat", "im2col_by_division", "difference_on_ring", "sweep_with_borders", "cheapest_path",
    ],
)  # fmt: skip
def test_a_changed_source_is_rejected_or_computes_the_same(name: str) -> None:
    """Faults of a reader: the definitions are those of another source."""
    subject = _kernel(name)
    rng, became = Random(19), Counter[str]()
    cases = inputs(subject, rng)
    assert cases
    for _ in range(sampled(20, 40)):
        module, change = changed(subject, rng)
        answer = with_deep_stack(partial(decide, subject, module))
        became["rejected" if answer != "decided" else "accepted"] += 1
        assert answer != "decided" or not any(differs(subject, case, module) for case in cases), change
    assert became["rejected"] > became["accepted"]


def _with_claim(subject: Subject, change: Callable[[LoopClaim], LoopClaim], header: int) -> Subject:
    loops = {**subject.claims.loops, header: change(subject.claims.loops[header])}
    return subject._replace(claims=Claims(loops))


_CLAIMS: list[Callable[[LoopClaim], LoopClaim]] = [
    lambda claim: replace(claim, lower=tuple(low + 1 for low in claim.lower)),
    lambda claim: replace(claim, lower=tuple(low - 1 for low in claim.lower)),
    lambda claim: replace(claim, upper=tuple(high + 1 for high in claim.upper)),
    lambda claim: replace(claim, upper=tuple(high - 1 for high in claim.upper)),
    lambda claim: replace(claim, step=claim.step + 1),
    lambda claim: replace(
        claim, phis=tuple(Advance(p.by + ONE) if isinstance(p, Advance) else p for p in claim.phis)
    ),
    lambda claim: replace(claim, phis=tuple(f"{p}_" if isinstance(p, str) else Advance(-p.by) for p in claim.phis)),
    lambda claim: replace(
        claim, states={a: [(d, _twice(t)) for d, t in pieces] for a, pieces in claim.states.items()}
    ),
    lambda claim: replace(
        claim, states={a: [(d, _moved(t, claim.variable)) for d, t in p] for a, p in claim.states.items()}
    ),
    lambda claim: replace(claim, states={array: pieces[1:] for array, pieces in claim.states.items()}),
]  # fmt: skip


def _twice(term: terms.Term) -> terms.Term:
    return terms.apply("add", term, terms.one(term.dtype))


def _moved(term: terms.Term, variable: str) -> terms.Term:
    return rewrite.substitute(term, {variable: affine(variable) + 1})


@pytest.mark.parametrize("name", ["matmul", "gemm_nn", "syrk"])
@pytest.mark.parametrize("number", range(len(_CLAIMS)))
def test_a_wrong_claim_falls(name: str, number: int) -> None:
    """Faults of the finder; those of a state that does not depend on what is moved leave it as it is."""
    subject = _kernel(name)
    for header, claim in subject.claims.loops.items():
        wrong = _CLAIMS[number](claim)
        if wrong != claim:
            assert with_deep_stack(partial(decide, _with_claim(subject, _CLAIMS[number], header))) != "decided"


@pytest.mark.parametrize("name", _NESTS)
def test_a_claim_of_a_nest_stands(name: str) -> None:
    assert with_deep_stack(partial(decide, _kernel(name))) == "decided"


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("name", _NESTS)
@pytest.mark.parametrize("number", range(len(_CLAIMS)))
def test_a_wrong_claim_of_a_nest_falls(name: str, number: int) -> None:
    subject = _kernel(name)
    for header, claim in subject.claims.loops.items():
        for wrong in _at_each_level(claim, _CLAIMS[number]):
            changed_claims = subject._replace(claims=Claims({**subject.claims.loops, header: wrong}))
            assert wrong == claim or with_deep_stack(partial(decide, changed_claims)) != "decided"


def _at_each_level(claim: LoopClaim, change: Callable[[LoopClaim], LoopClaim]) -> Iterator[LoopClaim]:
    yield change(claim)
    if claim.inner is not None:
        yield replace(claim, inner=None)
        yield replace(claim, inner=replace(claim.inner, header=claim.header + 1))
        yield from (replace(claim, inner=inner) for inner in _at_each_level(claim.inner, change))


@pytest.mark.parametrize("name", ["matmul", "gemm_nn", "syrk", "lmsfir2"])
def test_wrong_definitions_fall(name: str) -> None:
    subject = _kernel(name)
    wrong: Any = [
        replace(item, pieces=tuple((domain, _twice(term)) for domain, term in item.pieces))
        for item in subject.summary.definitions()
    ]
    for number, definition in enumerate(wrong):
        items = tuple(definition if n == number else item for n, item in enumerate(subject.summary.items))
        changed_summary = subject._replace(summary=replace(subject.summary, items=items))
        assert with_deep_stack(partial(decide, changed_summary)) != "decided"


_IDS = "int n, int m, const int *r, const int *c, const double A[m][m], double *y"


@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("y[i] = A[r[i]][c[i]];", "y[i] = A[c[i]][r[i]];"),
        ("y[i] = A[r[i]][i];", "y[i] = A[i][r[i]];"),
        ("y[i] = A[0][r[i] - c[i]];", "y[i] = A[0][c[i] - r[i]];"),
        ("y[i] = A[2 * r[i] + 1][c[i]];", "y[i] = A[2 * r[i]][c[i]];"),
    ],
)
def test_places_that_depend_on_data_are_subscripts_of_each_axis(body: str, other: str) -> None:
    text, changed_text = (f"void f({_IDS}) {{ for (int i = 0; i < n; i++) {each} }}" for each in (body, other))
    subject, wrong = _subject(text), _subject(changed_text)
    assert _answer(text) == "decided"
    assert with_deep_stack(partial(decide, subject._replace(module=wrong.module))) != "decided"
