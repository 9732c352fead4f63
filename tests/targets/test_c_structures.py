"""Functions that take structures, as programs in C: members are reached as the source reaches them."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.lifts import lifted_text
from tests.targets.tampering import refusal

from tensorlift import lift
from tensorlift.cli import main
from tensorlift.commands.same_source import reading_of
from tensorlift.pipeline import LiftOptions, verify
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.verify import verify as decide
from tensorlift.readback import read_back
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

TYPES = """#include <stddef.h>
#include <stdio.h>
typedef unsigned short u16;
typedef enum { OK = 0, BAD = -1 } status;
typedef struct mat_ { u16 rows, cols; float *data; } mat;
typedef struct { int rows, cols; } shape;
typedef struct {
  shape s; const float *w; float bias; int (*fn)(int); unsigned flag : 3; float hist[4]; double total; size_t calls;
} layer;
"""
SCALE = """void scale(const mat *m, float f, mat *out) {
  for (int i = 0; i < m->rows; i++) out->data[i] = f * m->data[i];
}
"""
THERE = "m != NULL\n      && out != NULL\n      && "
COUNT = "void count(layer *l, const float *x, int n) { for (int i = 0; i < n; i++) l->total += x[i]; l->calls++; }\n"
FUNCTIONS = f"""{TYPES}{SCALE}{COUNT}
status add(const mat *a, const mat *b, mat *d) {{
  if (a->rows != b->rows || a->rows != d->rows || a->cols != b->cols || a->cols != d->cols) return BAD;
  for (int i = 0; i < a->rows * a->cols; i++) d->data[i] = a->data[i] + b->data[i];
  return OK;
}}
void forward(layer *l, const float *x, float *y) {{
  for (int i = 0; i < l->s.rows; i++) {{
    float s = l->bias;
    for (int j = 0; j < l->s.cols; j++) s += l->w[i * l->s.cols + j] * x[j];
    y[i] = s;
  }}
  l->calls++;
}}
void number(const mat *m, u16 *out) {{ for (int i = 0; i < m->rows; i++) out[i] = m->cols + i; }}
void guarded(mat *m, float f) {{ if (m == NULL) return; for (int i = 0; i < m->rows; i++) m->data[i] *= f; }}
void told(const mat *m, layer l) {{
  puts("before"); for (int i = 0; i < m->rows; i++) m->data[i] += l.bias; puts("after");
}}
void by_value(const layer l, float *y) {{ for (int i = 0; i < l.s.rows; i++) y[i] = l.bias * l.w[i]; }}
"""
# Structures that are the same, arrays that overlap each other and what is read of a structure, nulls, nothing to do.
CALLS = """#include <string.h>
int main(void) {
  float x[40], y[40], z[40];
  for (int n = 0; n < 4; n++) {
    for (int i = 0; i < 40; i++) { x[i] = i % 7; y[i] = i % 5; z[i] = 1; }
    mat a = {n, 3, x}, b = {n, 3, y}, c = {n, 3, x + 1};
    struct { mat m; float rest[8]; } self = {{3, 2, (float *)&self}, {1, 2, 3}};
    self.m.data = self.rest;
    layer l = {{n, 2}, x, 0.5f, 0, 1, {1, 2, 3, 4}, 0, 7};
    scale(&a, 2, &b); scale(&a, 3, &a); scale(&a, 2, &c); scale(&self.m, 2, &self.m);
    printf("%d %d %d\\n", add(&a, &b, &c), add(&a, &a, &a), add(&a, &self.m, &b));
    forward(&l, x, z); forward(&l, z, z + 1); count(&l, x, 9); count(&l, l.hist, 4);
    l.s.rows = n > 0; forward(&l, y, &l.bias);
    guarded(&b, 2); guarded(NULL, 2); by_value(l, y); told(&a, l); told(&self.m, l);
    mat first = {3, 2, x};
    number(&first, (u16 *)&first);
    printf("%d %d %g %zu %g\\n", first.rows, first.cols, l.total, l.calls, l.bias);
    for (int i = 0; i < 40; i++) printf("%g %g %g ", x[i], y[i], z[i]);
    for (int i = 0; i < 4; i++) printf("%g %g\\n", l.hist[i], self.rest[i]);
  }
  return 0;
}
"""


def test_a_function_that_takes_structures_keeps_its_signature() -> None:
    text = lift(TYPES + SCALE, to="c").source
    assert "typedef struct" not in text
    assert "struct mat_ {\n  unsigned short rows;\n  unsigned short cols;\n  float *data;\n};" in text
    assert "void scale(const struct mat_ *m, float f, struct mat_ *out)" in text
    assert "if (m != NULL\n      && out != NULL\n      && m->rows >= 1" in text
    assert "scale_lifted(m->rows, f, (void *)m->data, (void *)out->data);" in text


def test_what_programs_do_not_reach_is_bytes() -> None:
    text = lift(TYPES + COUNT, to="c").source
    assert (
        "  shape s;\n  const float *w;\n  float bias;\n  char unused_20[16];\n  float hist[4];\n  double total;\n"
        in text
    )
    assert "(void *)&l->total, (void *)&l->calls" in text


def test_a_product_that_is_only_for_some_sizes_is_one_of_blas() -> None:
    text = lift("""int product(int m, int k, int l, int n, const double *a, const double *b, double *c) {
  if (k != l) return -1;
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
    double s = 0;
    for (int p = 0; p < k; p++) s += a[i * k + p] * b[p * n + j];
    c[i * n + j] = s;
  }
  return 0;
}""", to="c").source  # fmt: skip
    assert "  if (l == k)\n    cblas_dgemm(" in text


@pytest.mark.parametrize("source", [SCALE, COUNT])
def test_a_program_is_proved_again_from_its_certificate(source: str) -> None:
    function = lift(TYPES + source, to="c").functions[0]
    assert verify(json.loads(json.dumps(function.certificate))) == ()


@pytest.mark.parametrize(
    ("source", "old", "new", "reason"),
    [
        (SCALE, "m != NULL\n      && out", "out", "m, out are there before they are looked at"),
        (SCALE, f"{THERE}m->rows >= 1", f"m->rows >= 1\n      && {THERE}1 >= 0", "m, out are there before they are"),
        (SCALE, "m->rows >= 1", "m->cols >= 1", "unknown form"),
        (SCALE, "m->rows >= 1", "out->rows >= 1", "unknown form"),
        (SCALE, "scale_lifted(m->rows", "scale_lifted(m->cols", "the program's m_rows is given m->cols"),
        (SCALE, "(void *)m->data, (void *)out", "(void *)out->data, (void *)out", "the program's m_data is given"),
        (SCALE, ", m, sizeof(*m))", ", m, sizeof(m))", "out_data and the structure m are apart"),
        (SCALE, ", m, sizeof(*m))", ", out, sizeof(*out))", "out_data and the structure m are apart"),
        (SCALE, "(out->data, sizeof(float) * m->rows, out,", "(out->data, sizeof(float), out,", "structure out"),
        (SCALE, "struct mat_ {\n  unsigned", "struct mat_ {\n  signed", "expected here"),
        (SCALE, "  float *data;\n", "", "does not parse"),
        (SCALE, "  float *data;\n", "  const float *data;\n", "expected here"),
        (SCALE, "\nvoid scale(const struct", "\nvoid scale(struct", "expected here"),
        (SCALE, "    scale_original(m, f, out)", "    scale_original(out, f, out)", "expected here"),
        (SCALE, "scale_original(const struct mat_ *m", "scale_original(const struct mat_ m", "does not parse"),
        (COUNT, "(void *)&l->total", "(void *)&l->calls", "the program's l_total is given"),
        (COUNT, "(void *)&l->total", "(void *)l->total", "does not parse"),
        (COUNT, "x, sizeof(float) * n)", "x, sizeof(float))", "l_total and x are apart"),
    ],
)  # fmt: skip
def test_a_wrong_function_around_the_program_is_refused(source: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(TYPES + source, (old, new))


def test_a_certificate_says_how_structures_are_laid_out_and_reached() -> None:
    source = source_from_text(TYPES + SCALE)
    certificate = certificate_from_json(lifted_text(source.text, "c").certificate or {})
    text = certificate.program
    for places, structures in (
        (certificate.places, ()),
        (certificate.places, tuple(one.replace("float", "double") for one in certificate.structures)),
        ({**certificate.places, "m_rows": "m->data"}, certificate.structures),
        ({**certificate.places, "m_rows": "f"}, certificate.structures),
    ):
        with pytest.raises(CheckFailure):
            decide(replace(certificate, places=places, structures=structures), read_back=read_back)
    other = replace(
        certificate,
        program=text.replace("m->rows", "m->cols"),
        places={**certificate.places, "m_rows": "m->cols"},
    )
    decide(other, read_back=read_back)  # holds of another source
    with pytest.raises(CheckFailure, match="asks for something else of its callers"):
        reading_of(other, source, LiftOptions(target="c"))
    assert reading_of(certificate, source, LiftOptions(target="c")) is not None


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("struct s { struct { int n; } in; float *a;};\nvoid f(struct s *s) { OVER(s->in.n) s->a[i] = 1; }", "s->in.n"),
        ("typedef struct { double re, im; } z;\nvoid f(int n, z *x) { OVER(n) x[i].re = 1; }", "x[].re"),
        ("typedef struct { int n; void *p; } s;\nvoid f(s s, double *a) { OVER(s.n) a[i] = 1; }", "s.n"),
        ("int n;\nvoid f(double *a) { OVER(n) a[i] = 1; }", "n"),
    ],
    ids=["nameless", "several", "registers", "global"],
)  # fmt: skip
def test_what_has_no_form_in_c_is_told(source: str, what: str) -> None:
    (warning,) = lift(f"#define OVER(n) for (int i = 0; i < n; i++)\n{source}", to="c").diagnostics
    assert warning.code == "TL309"
    assert warning.message == f"no function with the signature of 'f' is written: '{what}' is no parameter of it"


def test_a_file_gives_the_same_before_and_after(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no C compiler")
    before, after = tmp_path / "before.c", tmp_path / "after.c"
    before.write_text(FUNCTIONS + CALLS, encoding="utf-8")
    assert main(["lift", str(before), "--in-place", "--regardless", "-o", str(after)]) in {0, 1}
    assert after.read_text(encoding="utf-8").count("_lifted(") == 2 * 8
    outputs = []
    for file in (before, after):
        flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover", "-w"]
        subprocess.run(["gcc", *flags, file, "-o", tmp_path / "a", "-lopenblas", "-lm"], check=True)
        outputs.append(subprocess.run([tmp_path / "a"], check=True, capture_output=True, text=True).stdout)
    assert outputs[0] == outputs[1]
