"""Chains of statements that use each value several times: what grows with each one must not double with it."""

from __future__ import annotations

import pytest
from tests.shared import has_turn

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

LINKS = {
    "logistic map": "t = r*t*(1 - t);",
    "product": "t = a[i]*t*b[i];",
    "square": "t = t*t + a[i];",
    "sum of products": "{ double u = t*a[i]; t = u + t*b[i]; }",
    "product of sums": "t = (t + a[i])*(t + b[i]);",
    "quotient": "t = t/(1 + t);",
    "root": "t = sqrt(t*t + a[i]);",
    "least": "t = fmin(t*b[i], t + a[i]);",
    "greater": "t = t > a[i]*t ? t : a[i]*t;",
    "choice by itself": "if (t < a[i]) t = t*b[i]; else t = t + 1;",
    "choice by data": "if (a[i] > 0) t = t*b[i]; else t = t + 1;",
}
LENGTH = 30


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("link", "target"),
    [(link, t) for link in LINKS for turn, t in enumerate(("numpy", "c")) if has_turn(link, turn, 2)],
)
def test_a_chain_lifts_to_a_program_of_its_length(link: str, target: str) -> None:
    loop = f"for (int i = 0; i < n; i++) {{ double t = x[i]; {LINKS[link] * LENGTH} x[i] = t; }}"
    text = f"#include <math.h>\nvoid f(int n, double r, const double *a, const double *b, double *x) {{ {loop} }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target)).functions
    assert function.lifted, function.diagnostics
    assert len(function.program) < 150 * LENGTH


def test_a_chain_of_arrays_in_python_lifts() -> None:
    links = "".join(f"    t{k + 1} = r * t{k} * (1 - t{k})\n" for k in range(LENGTH))
    text = f"def f(t0: 'float64[:]', r: float):\n{links}    return t{LENGTH}\n"
    (function,) = lift_source(source_from_text(text, "f.py"), LiftOptions()).functions
    assert function.lifted, function.diagnostics
