"""Arms that cannot be read are left out under a precondition, pointers that are returned are the caller's own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.lifts import lifted

from tensorlift.pipeline import LiftOptions
from tensorlift.record import Verdict
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

HEAD = """
typedef struct { unsigned dim; double *ve; } VEC;
int printf(const char *, ...);
void *realloc(void *, unsigned long);
void *malloc(unsigned long);
struct held { double *p; };
extern VEC *resized(VEC *, int);
static void grow(double *x, int n) { x = realloc(x, 8 * n); x[n - 1] = 0; }
"""
BODY = "for (int i = 0; i < n; i++) x[i] *= 2;"

LIFTED = {
    "output": (f'if (v) printf("%d", n); {BODY}', ["v == 0"]),
    "a call of what cannot be read": (f"if (n > v) grow(x, n); {BODY}", ["n <= v"]),
    "an early return": (f'if (n > v) {{ printf("%d", n); return; }} {BODY}', ["n <= v"]),
    "memory made once": (f"if (!h->p) h->p = malloc(8 * n); h->p[0] = n; {BODY}", ["h_p is not a null pointer"]),
    "an arm in an arm": (f'if (v > 3) {{ if (v > 5) printf("5"); n = 3; }} {BODY}', ["v <= 5"]),
}  # fmt: skip
REFUSED = {
    "what data ask for": (f'if (x[0] > v) printf("%d", n); {BODY}', "TL152", 10),
    "an arm in a loop": ('for (int i = 0; i < n; i++) { x[i] = 2; if (v) printf("%d", i); }', "TL152", 10),
    "an arm with a loop": (f'if (v) for (int i = 0; i < n; i++) printf("%g", x[i]); {BODY}', "TL152", 10),
    "a member that a loop moves": ("for (int i = 0; i < n; i++) { h->p[0] = 1; h->p++; }", "TL140", 10),
    "a member that is set": (f"if (n > v) grow(x, n); h->p = x; {BODY}", "TL140", 10),
    "both arms": (f'if (v) printf("%d", n); else resized(0, n); {BODY}', "TL150", 10),
}  # fmt: skip


def _text(body: str) -> str:
    return f"{HEAD}void f(double *x, int n, int v, struct held *h) {{\n{body}\n}}\n"


@cache
def _functions(text: str) -> dict[str, FunctionRecord]:
    return {one.name: one for one in lifted(source_from_text(text, "k.c"), LiftOptions(test=True)).functions}


@pytest.mark.parametrize("name", LIFTED)
def test_an_arm_that_cannot_be_read_is_left_out(name: str) -> None:
    body, required = LIFTED[name]
    found = _functions(_text(body))["f"]
    assert found.lifted, found.diagnostics
    assert set(required) <= {one.text for one in found.preconditions}


@pytest.mark.parametrize("name", REFUSED)
def test_where_nothing_tells_that_it_is_not_taken_it_is_refused(name: str) -> None:
    body, code, line = REFUSED[name]
    found = _functions(_text(body))["f"]
    (first,) = found.diagnostics
    assert first.location is not None
    assert (first.code, first.location.line) == (code, line), first


RETURNED = """
double *scaled(double *x, int n) { double *p = x; while (n-- > 0) *p++ *= 2; return x; }
double *checked(double *x, int n) { if (n < 3) return 0; for (int i = 0; i < n; i++) x[i] *= 2; return x; }
VEC *doubled(VEC *v) { for (unsigned i = 0; i < v->dim; i++) v->ve[i] *= 2; return v; }
VEC *halved(VEC *v, VEC *out) {
  if (v->dim != out->dim) out = resized(out, v->dim);
  for (unsigned i = 0; i < v->dim; i++) out->ve[i] = v->ve[i] / 2;
  return out;
}
VEC *sized(VEC *v, int n) { v->ve = realloc(v->ve, 8 * n); v->dim = n; return v; }
VEC *doubles(VEC *v, VEC *out) {
  if (v == out) return out;
  if (v->dim != out->dim) out = sized(out, v->dim);
  for (unsigned i = 0; i < v->dim; i++) out->ve[i] = v->ve[i] * 2;
  return out;
}
VEC *made(VEC *v, int n) {
  if (n < 3) return resized(0, n);
  for (int i = 0; i < n; i++) v->ve[i] = 2;
  return v;
}
VEC *fitted(VEC *v, int n) {
  if (!v) return resized(0, n);
  if (n == v->dim) return v;
  if (v->dim == 7) return resized(v, n);
  if (n > v->dim) v->ve = realloc(v->ve, 8 * n);
  for (int i = v->dim; i < n; i++) v->ve[i] = 0;
  v->dim = n;
  return v;
}
VEC *negated(VEC *v, VEC *out) {
  out = fitted(out, v->dim);
  for (unsigned i = 0; i < v->dim; i++) out->ve[i] = -v->ve[i];
  return out;
}
VEC *swapped(VEC *v, VEC *out) { v = fitted(out, 3); for (int i = 0; i < 3; i++) v->ve[i] = 1; return v; }
VEC *both(VEC *v, VEC *out) { return halved(doubled(v), out); }
double *moved(double *x, int n) { while (n-- > 0) *x++ *= 2; return x; }
VEC *either(VEC *v, VEC *w, int n) { for (int i = 0; i < n; i++) v->ve[i] = 0; return n > 3 ? v : w; }
"""


def test_a_parameter_that_is_returned_is_the_caller_s_own() -> None:
    found = _functions(HEAD + RETURNED)
    for name in ("scaled", "checked", "doubled", "halved", "doubles", "made", "negated", "both"):
        assert found[name].lifted, found[name].diagnostics
        assert "return None" not in found[name].program
    for name in ("checked", "made"):
        assert [one.text for one in found[name].preconditions] == ["n >= 3"]
    assert [one.kind for one in found["doubles"].preconditions] == ["left-out", "distinct", "no-overlap"]
    assert "v_dim == out_dim" in {one.text for one in found["both"].preconditions}
    assert "v_dim == out_dim" in {one.text for one in found["negated"].preconditions}
    codes = [found[name].diagnostics[0].code for name in ("moved", "either", "swapped")]
    assert codes == ["TL136", "TL140", "TL140"]


OLD = """
twice(x, n) double *x; { int i; for (i = 0; i < n; i++) x[i] = 2 * x[i]; return n; }
double roots(double *x, int n) { int i; double s = 0; for (i = 0; i < n; i++) s += sqrt(x[i]); return s; }
void __add__(double *x, int n) { for (int i = 0; i < n; i++) x[i] += 1; }
"""


def test_what_c_was_before_1999_is_read() -> None:
    found = _functions(OLD)
    assert all(one.lifted for one in found.values()), [one.diagnostics for one in found.values()]


LEAST = """
#define MIN(a, b) ((a) < (b) ? (a) : (b))
void right(double *x, int n, int m, int k) { int c = MIN(n, MIN(k, m)); for (int i = 0; i < c; i++) x[i] = 1; }
void left(double *x, int n, int m, int k) { int c = MIN(MIN(k, m), n); for (int i = 0; i < c; i++) x[i] = 1; }
void once(double *x, int n, int m, int k) { int t = MIN(k, m), c = MIN(n, t); for (int i = 0; i < c; i++) x[i] = 1; }
"""


def test_the_least_of_three_bounds_a_loop() -> None:
    found = _functions(LEAST)
    assert all(one.lifted for one in found.values()), [one.diagnostics for one in found.values()]


POINTERS = """
typedef struct { unsigned m, n; double **me; } MAT;
typedef struct { unsigned dim; double *ve; } VEC;
void transposed(MAT *a, MAT *out) {
  double **from = a->me, **to;
  if (a == out) return;
  to = out->me;
  for (unsigned i = 0; i < a->m; i++) for (unsigned j = 0; j < a->n; j++) to[j][i] = from[i][j];
}
int copied(double *x, double *y, int n) { if (x == y) return 1; for (int i = 0; i < n; i++) y[i] = x[i]; return 0; }
void called(MAT *a, MAT *b, MAT *c) { transposed(a, b); transposed(b, c); }
double total(double *x, int n) { double *end = x + n, s = 0; while (x != end) s += *x++; return s; }
int own(double *x, int n) { double t[4]; if (x == t) return 1; for (int i = 0; i < n; i++) x[i] = 0; return 0; }
void outside(double *x, int n) { if (x == held) return; for (int i = 0; i < n; i++) x[i] = held[i]; }
void rows(double **a, double **b, int n) { if (*a == *b) return; for (int i = 0; i < n; i++) a[i][i] = b[i][i]; }
void of_one(MAT *a, int n) { copied(a->me[0], a->me[1], n); }
void one_of(double **a, double **b, int n, int k) { double **t = a; if (k) t = b; for (; n > 0; n--) t[n][n] = 0; }
"""


def test_pointers_that_are_compared_are_others_as_is_stated() -> None:
    found = _functions("static double held[8];\n" + POINTERS)
    distinct = {
        name: [one.text for one in record.preconditions if one.kind == "distinct"] for name, record in found.items()
    }
    for name in ("transposed", "copied", "called", "total", "own"):
        assert found[name].lifted, found[name].diagnostics
    assert distinct["copied"] == ["x and y are not the same pointer"]
    assert distinct["called"] == [f"{one}_me and {two}_me are not the same pointer" for one, two in ("ab", "bc")]
    assert distinct["total"] == distinct["own"] == []
    for name, code in {"outside": "TL136", "rows": "TL136", "of_one": "TL136", "one_of": "TL138"}.items():
        assert found[name].diagnostics[0].code == code


STAGES = """
void cascade(const float *in, float *out, const float *c, int n, int k) {
  const float *from = in;
  do { float s = *c++; for (int i = 0; i < n; i++) out[i] = s * from[i]; from = out; } while (--k);
}
float gain(const float *in, float *out, int n, int k) {
  const float *from = in; float *to = out, t = 0;
  while (k > 0) { int m = n; t = 0; while (m > 0) { *to = 2 * *from++; t += *to++; m--; } from = to = out; k--; }
  return t;
}
"""


def test_stages_that_work_in_place_after_the_first_have_no_loop() -> None:
    found = _functions(STAGES)
    assert [one.verdict for one in found.values()] == [Verdict.LOOP_FREE] * 2, [
        one.diagnostics for one in found.values()
    ]


ASSERTED = """
#include <assert.h>
#include <stdlib.h>
void add(float *to, float *a, float *b, unsigned n) {
  if ((void *)to < (void *)a) { assert((void *)to + n <= (void *)a); }
  else if ((void *)to > (void *)a) { assert((void *)a + n <= (void *)to); }
  for (unsigned i = 0; i < n; i++) to[i] = a[i] + b[i];
}
void aligned(float *to, const float *a, int n) {
  assert(((unsigned long)to & 15) == 0);
  for (int i = 0; i < n; i++) to[i] = 2 * a[i];
}
void called(float *to, float *a, int n) { add(to, a, a, n); }
void side(float *to, float *a, int n) {
  int k = 0;
  if (to < a) { assert(k++ < 1); }
  for (int i = 0; i < n; i++) to[i] = a[i] + k;
}
void ends(float *to, float *a, int n) { if (to < a) abort(); for (int i = 0; i < n; i++) to[i] = a[i]; }
void there(float *to, volatile int *ready, int n) { assert(*ready); for (int i = 0; i < n; i++) to[i] = 1; }
"""


def test_assertions_on_pointers_are_asked_of_the_caller() -> None:
    found = _functions(ASSERTED)
    for name in ("add", "aligned", "called"):
        assert found[name].lifted, found[name].diagnostics
        assert "what the source asserts of pointers holds" in {one.text for one in found[name].preconditions}
    assert [found[name].diagnostics[0].code for name in ("side", "ends", "there")] == ["TL136", "TL136", "TL144"]


def test_a_quotient_of_a_quotient_is_counted_by_what_both_are_made_of() -> None:
    body = "for (int i = 0; i < n; i++) y[i] = x[i + (k / m) % s + (k / m) / s * n * s];"
    (found,) = _functions(f"void f(int n, int k, int m, int s, const double *x, double *y) {{ {body} }}").values()
    assert "TL900" not in {one.code for one in found.diagnostics}


def test_memory_on_the_stack_and_a_flag_that_must_be_zero_are_read() -> None:
    found = _functions(
        """
void *alloca(unsigned long);
void hook(int);
double back(const double *x, int n) {
  double *t = alloca(n * sizeof *t), s = 0;
  for (int i = 0; i < n; i++) t[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) s += t[n - 1 - i];
  return s;
}
void flag(double *x, int n, int k) { if (k) hook(1); for (int i = 0; i < n; i++) x[i] = k; }
"""
    )
    assert all(one.lifted for one in found.values()), [one.diagnostics for one in found.values()]
