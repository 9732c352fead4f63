"""Sizes that are quotients of sizes, ``C / NH``: what they need, and that programs with other ones are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.lifts import lifted_text
from tests.targets.tampering import refusal

from tensorlift import lift
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.verify import verify
from tensorlift.readback import read_back
from tensorlift.record import Verdict

HEADS = """void heads(float *out, const float *in, int T, int C, int NH) {
  int hs = C / NH;
  for (int t = 0; t < T; t++) for (int h = 0; h < NH; h++)
    for (int i = 0; i < hs; i++) out[t * C + h * hs + i] = hs * in[t * hs + i];
}
"""
COUNT = """void count(double *x, int n, int k, int step) {
  int m = (n - k) / step + 1;
  for (int i = 0; i < m; i++) x[i] = i;
}
"""
HEAD = """void add_head(int n, int d, int m, double y[m], const double x[n]) {
  int h = n / d;
  for (int i = 0; i < h; i++) y[i] += x[i];
}
"""


def test_what_is_divided_is_asked_for() -> None:
    texts = {
        name: [p.text for p in lifted_text(source).preconditions if p.kind != "no-overlap"]
        for name, source in (("heads", HEADS), ("count", COUNT), ("head", HEAD))
    }
    assert texts == {
        "heads": ["C >= 0", "NH >= 1", "T >= 0"],
        "count": ["k <= n", "step >= 1"],
        "head": ["n >= 0", "d >= 1", "m >= 0", "(n // d) <= m"],
    }


UNSIGNED = (
    "void f(double *y, unsigned n, unsigned d) { unsigned q = n / d + 1; for (unsigned i = 1; i < q; i++) y[i] = 2; }"
)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("source", [HEADS, COUNT, HEAD, UNSIGNED], ids=["heads", "count", "head", "unsigned"])
@pytest.mark.parametrize("target", ["numpy", "c"])
def test_programs_compute_what_the_source_does(source: str, target: str) -> None:
    (function,) = lift(source, to=target, test=True).functions
    assert (function.verdict, str(function.level)) == (Verdict.LOOP_FREE, "proved")
    assert [trial.passed for trial in function.tests] == [True, True]


@pytest.mark.parametrize(
    ("source", "old", "new", "reason"),
    [
        (HEADS, "= C / NH", "= NH / C", "do not agree on one row-major shape"),
        (HEADS, "= C / NH", "= C / (NH + 1)", "the program needs that"),
        (COUNT, " / step", " / k", "n - k may be negative, or k is not positive"),
        (HEADS, "NH >= 1", "NH >= 0", "nothing checks that NH >= 1"),
        (HEADS, "C >= 0\n      && ", "", "nothing checks that C >= 0"),
        (HEAD, "n_div_d = n / d", "n_div_d = (n + 1) / d", "the program needs that ((n + 1) // d) <= m"),
        (COUNT, "(ptrdiff_t)k) / step;", "(ptrdiff_t)k) / step - 1;", "x is not proved to be x_1"),
    ],
)
def test_another_quotient_in_c_is_refused(source: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(source, (old, new))


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
@pytest.mark.parametrize(("old", "new"), [("// NH", "// (NH + 1)"), ("C // NH", "NH // C"), ("// NH", "// NH + 1")])
def test_another_quotient_in_python_is_refused(target: str, old: str, new: str) -> None:
    assert refusal(HEADS, (old, new), target=target)


def test_nothing_is_divided_before_the_divisor_is_known_to_be_positive() -> None:
    first, late = "d >= 1\n      && ", "(n / d) <= m"
    assert "nothing checks before that sizes can be divided" in refusal(
        HEAD, (first, ""), (late, f"{late}\n      && d >= 1")
    )


def test_extents_that_are_one_quotient_are_equal_where_no_argument_tells_it() -> None:
    (function,) = lift(HEADS.replace("hs * in", "2 * in").replace("] = ", "] += "), guards=True).functions
    assert "if in_.shape[1] != out.shape[2]:" in (function.program or "")
    (function,) = lift(HEADS, guards=True).functions
    text = function.program or ""
    assert 0 < text.index("if NH < 1:") < text.index("if in_.shape[1] != (C // NH):")


def test_a_certificate_says_that_sizes_can_be_divided() -> None:
    certificate = certificate_from_json(lifted_text(HEADS).certificate or {})
    listed = tuple(text for text in certificate.preconditions if text != "NH >= 1")
    with pytest.raises(CheckFailure, match="sizes can be divided"):
        verify(replace(certificate, preconditions=listed), read_back=read_back)


def test_a_name_that_is_taken_is_no_quotient() -> None:
    source = COUNT.replace("count(", "count(int n_minus_k_div_step, ").replace("= i;", "= n_minus_k_div_step;")
    function = lifted_text(source)
    assert function.verdict is not Verdict.REFUSED
    assert "np.fmod" in (function.program or "")


def test_quotients_that_do_not_help_as_sizes_are_data() -> None:
    source = """void conv(double *out, const double *in, int n, int k, int stride, int pad) {
      int m = (n + 2 * pad - k) / stride + 1;
      for (int o = 0; o < m; o++) {
        double s = 0;
        for (int j = 0; j < k; j++) { int p = o * stride + j - pad; if (p >= 0 && p < n) s += in[p]; }
        out[o] = s;
      }
    }
    """
    assert lifted_text(source).verdict is Verdict.HYBRID
