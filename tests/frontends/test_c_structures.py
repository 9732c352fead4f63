"""Members of structures, globals and tables of rows take part under their own names, as the compiler has them."""

from __future__ import annotations

import shutil

import pytest

from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

MATRIX = "typedef struct { int rows, cols; double *vals; double **rowp; double k[3]; int count; } matrix;\n"
PAIR = "typedef struct { float re, im; } pair;\n"
PAIRS = PAIR + "typedef struct { pair *a, *b; int n; } pairs;\n"
AT = "double *t;\nstatic double at(int i) { return t[i]; }\n"
BANK = "#include <string.h>\n" + PAIR + "struct bank { struct { int id; }; pair cell[2]; double k[3]; };\n"
BIN = "#include <string.h>\nstruct bin { int id; double k[3]; };\n"
ALL = "{0}_id {0}_cell_re {0}_cell_im {0}_k "
ROWS = "struct rows { int n; double v[]; };\n"
IMAGE = """#include <stdlib.h>
typedef struct { int w, h; float *data; int sum; } image;
static image empty(int w, int h) { image m; m.w = w; m.h = h; m.data = 0; m.sum = w; return m; }
static image make(int w, int h) { image m = empty(w, h); m.data = calloc(w * h, sizeof(float)); return m; }
"""
STATE = "static struct { double acc; int n; double buf[8]; } st;\n"

CASES = [
    (MATRIX + "void f(matrix m) { for (int i = 0; i < m.rows; i++) m.vals[i] = i; }", "m_rows m_vals"),
    (MATRIX + "void f(matrix *m) { for (int i = 0; i < m->rows; i++) m->vals[i] *= m->k[1]; }", "m_rows m_vals m_k"),
    (MATRIX + "void f(matrix *m) { m->count = 0; for (int i = 0; i < 3; i++) m->count += i; }", "m_count"),
    (MATRIX + "void f(matrix m) { for (int i = 0; i < m.rows; i++) m.rowp[i][i] = 1; }", "m_rows m_rowp"),
    (
        MATRIX + "static double at(matrix *q, int i) { return q->vals[i]; }\n"
        "double f(matrix *m) { double s = 0; for (int i = 0; i < m->rows; i++) s += at(m, i); return s; }",
        "m_rows m_vals",
    ),
    (
        MATRIX + "static void set(matrix *q) { q->count = 7; }\nvoid f(matrix *m) { set(m); m->k[0] = m->count; }",
        "m_k m_count",
    ),
    (
        PAIR + "void f(int n, const pair *a, pair *b) { for (int i = 0; i < n; i++) b[i] = a[i]; }",
        "n a_re a_im b_re b_im",
    ),
    (PAIR + "void f(int n, const pair *a, pair *b) { while (n-- > 0) *b++ = *a++; }", "n a_re a_im b_re b_im"),
    (PAIR + "void f(pair *a) { pair t = {a->im}; a->re = t.re + 1; a->im = t.im; }", "a_re a_im"),
    (
        PAIR + "static void g(pair *x, int k) { x[k].re = k; }\n"
        "void f(int n, pair *a) { for (int i = 0; i < n; i++) g(a, i); }",
        "n a_re",
    ),
    (PAIRS + "void f(pairs *s) { for (int i = 0; i < s->n; i++) s->a[i].re = s->b->im; }", "s_n s_a_re s_b_im"),
    (
        PAIRS + "typedef struct { const pairs *inner; } outer;\n"
        "float f(outer o) { float s = 0; for (int i = 0; i < o.inner->n; i++) s += o.inner->a[i].im; return s; }",
        "o_inner_n o_inner_a_im",
    ),
    (PAIRS + "void f(pairs s) { for (int i = 0; i < s.n; i++) s.b[i] = s.a[i]; }", "s_n s_a_re s_a_im s_b_re s_b_im"),
    (
        STATE + "void f(const double *x) { for (int i = 0; i < st.n; i++) st.acc += x[i] * st.buf[2]; }",
        "x st_acc st_n st_buf",
    ),
    (
        AT + "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = at(i); }",
        "n a t",
    ),
    (
        MATRIX + "matrix m;\nstatic double at(matrix *q, int i) { return q->vals[i] + q->k[0]; }\n"
        "void f(double *a) { for (int i = 0; i < m.rows; i++) a[i] = at(&m, i); }",
        "a m_rows m_vals m_k",
    ),
    ("double **r;\nvoid f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = r[i][2]; }", "n a r"),
    ("int n;\nvoid f(float *a) { for (int i = 0; i < n; i++) a[i] = 1; }", "n a"),
    (
        AT + "void f(int n, double *t) { for (int i = 0; i < n; i++) t[i] = at(i); }",
        "n t t2",
    ),
    ("static const int n = 8;\nvoid f(float *a) { for (int i = 0; i < n; i++) a[i] = 1; }", "a"),
    ("double g[4], s;\nvoid f(void) { for (int i = 0; i < 4; i++) s += g[i]; }", "g s"),
    ("static const double w[2] = {1, 2};\nvoid f(double *a) { for (int i = 0; i < 2; i++) a[i] *= w[i]; }", "a"),
    ("void f(int n, float **a) { for (int i = 0; i < n; i++) { float *p = a[i]; *p++ = 1; *p = i; } }", "n a"),
    (
        PAIR + "struct bank { int n; pair low[8]; union { int i; } other[2]; struct bank *next; pair twiddles[1]; };\n"
        "static void set(pair *x, int n) { for (int i = 0; i < n; i++) x[i].re = 1; }\n"
        "void f(struct bank *b) { pair *t = b->twiddles; set(b->low, 8);"
        " for (int i = 0; i < b->n; i++, t += 2) t->im = b->low[i].im; }",
        "b_n b_low_re b_low_im b_twiddles_im",
    ),
    (BANK + "void f(struct bank *a, const struct bank *b) { *a = *b; a->id = 1; }", "".join(map(ALL.format, "ab"))),
    (
        BIN + "void f(int n, struct bin *a) { struct bin b = {4, {1, 2}}; a[n] = b; memset(&b, 0, sizeof b);"
        " memmove(a, a + 1, n * sizeof(struct bin)); memcpy(&b, &a[n], sizeof *a); a[0].id += b.k[1]; }",
        "n a_id a_k",
    ),
    (
        PAIR + "static struct { int n; pair p[8]; } cloud; pair x[4], *y; static const struct { int m; pair k[2]; } c ="
        " {2, {{1}, {2, 3}}}; void f(void) { for (int i = 0; i < c.m; i++) cloud.p[i].im = c.k[i].im;"
        " for (pair *p = x; p < x + 4; p++) p->re = cloud.n; }",
        "cloud_n cloud_p_im x_re",
    ),
    (ROWS + "void f(struct rows *m) { for (int i = 0; i < m->n; i++) m->v[i] *= 2; }", "m_n m_v"),
    (
        IMAGE + "image f(image m) { for (int i = 0; i < m.w * m.h; i++) m.data[i] *= 2; return m; }",
        "m_w m_h m_data m_sum",
    ),
    (
        IMAGE + "image f(image m, float t) { image r = make(m.w, m.h); int i, j; r.sum = 0; for (i = 0; i < m.h; i++)"
        " for (j = 0; j < m.w; j++) { r.data[i * m.w + j] = m.data[i * m.w + j] * t; r.sum += i - j; } return r; }",
        "m_w m_h m_data t result_sum result_data",
    ),
    (
        (
            "#include <stdlib.h>\nfloat *f(int n, float *x) { float *y = malloc(n * sizeof *y); if (!y) return NULL;"
            " for (int i = 0; i < n; i++) y[i] = x[i] + 1; return y; }"
        ),
        "n x result",
    ),
    (
        PAIR + "typedef struct { pair p; int at; } best;\n"
        "best f(int n, const float *x) { best b = {{x[0], 0}, 0}; for (int i = 1; i < n; i++) { b.p.im += x[i];"
        " if (x[i] > b.p.re) { b.p.re = x[i]; b.at = i; } } return b; }",
        "n x result_p_re result_p_im result_at",
    ),
    ("float *f(int n, float *x) { if (n < 1) return x; for (int i = 0; i < n; i++) x[i] = i; return x; }", "n x"),
]


@pytest.mark.parametrize(("text", "names"), CASES, ids=range(len(CASES)))
def test_what_is_used_becomes_a_parameter(text: str, names: str) -> None:
    (function,) = read_c(text, "k.c", function="f")
    assert function.module is not None, function.diagnostics
    (operation,) = functions(function.module)
    found = {parameter.name for parameter in FunctionView(operation).parameters}
    assert found == set(names.split())


@pytest.mark.in_turns(2)
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler named cc on the search path")
@pytest.mark.parametrize("text", [text for text, _ in CASES], ids=range(len(CASES)))
def test_the_lifted_function_agrees_with_the_compiled_one(text: str) -> None:
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(("f",), test=True)).functions
    assert [trial.against for trial in function.tests] == ["interpreter", "compiled"], function.diagnostics
    assert not any(trial.failure for trial in function.tests)


def test_rows_that_are_written_must_be_distinct() -> None:
    (function,) = read_c("void f(int n, double **a) { for (int i = 0; i < n; i++) a[i][0] = 1; }", "k.c")
    assert function.module is not None
    (operation,) = functions(function.module)
    assert [row.kind for row in FunctionView(operation).requires] == ["distinct-rows"]


def test_a_scalar_behind_a_pointer_must_not_lie_in_a_written_array() -> None:
    text = "struct s { int n; int *v; };\nvoid f(struct s *x) { for (int i = 0; i < x->n; i++) x->v[i] = 0; }"
    (function,) = read_c(text, "k.c")
    assert function.module is not None
    (operation,) = functions(function.module)
    assert [row.text for row in FunctionView(operation).requires] == ["x_v shares no memory with x_n"]


def test_structures_that_members_point_to_may_be_one() -> None:
    text = "struct t { double v[4]; };\nstruct s { struct t *a, *b; };\n"
    text += "void f(struct s *x) { for (int i = 0; i < 4; i++) x->a->v[i] = x->b->v[3 - i]; }"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(("f",))).functions
    assert [row.text for row in function.preconditions] == ["x_a_v shares no memory with x_b_v"]


@pytest.mark.parametrize(
    ("body", "stated"),
    [
        ("double *p = &x[0].re; for (int i = 0; i < n; i++) p[i] = 0;", "n <= 1"),
        ("double *p = x[0].at; for (int i = 0; i < n; i++) p[i] = 0;", "n <= 3"),
        ("double *p = &y->re; for (int i = 0; i < n; i++) *p++ = 0;", "n == 1"),
        ("double *p = y->at; for (int i = 0; i < n; i++) *p++ = 0;", "n <= 3"),
    ],
)
def test_a_pointer_to_a_member_stays_inside_of_it(body: str, stated: str) -> None:
    text = f"struct s {{ double re, at[3]; }};\nvoid f(int n, struct s *x, struct s *y) {{ {body} }}"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(("f",))).functions
    assert stated in {row.text for row in function.preconditions}


def test_an_array_that_ends_its_structure_has_no_extent_and_another_has_its_own() -> None:
    text = "struct s { struct { int k; } a[1], b[4]; int v[1]; };\n"
    text += "void f(int n, struct s *x) { for (int i = 0; i < n; i++) x->v[i] = x->b[i].k; x->b[3].k = x->a[0].k; }"
    (function,) = read_c(text, "k.c")
    assert function.module is not None
    (operation,) = functions(function.module)
    shapes = {p.name: [str(e) for e in p.extents or ()] for p in FunctionView(operation).parameters}
    assert shapes == {"n": [], "x_a_k": ["1"], "x_b_k": ["4"], "x_v": ["n"]}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x[i].at[d] = 0;", "no precondition on sizes rules out a place beyond the member of a structure"),
        ("assert(d < 3);", "`assert` may end the run here, and no precondition on sizes says when"),
    ],
)
def test_what_no_size_keeps_inside_is_no_index_arithmetic(body: str, message: str) -> None:
    loops = f"for (int i = 0; i < n; i++) for (int d = 0; d < 4; d++) {{ {body} x[i].re = 0; }}"
    text = f"#include <assert.h>\nstruct s {{ double re, at[3]; }};\nvoid f(int n, struct s *x) {{ {loops} }}"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(("f",))).functions
    assert [(item.code, item.message) for item in function.diagnostics] == [("TL116", message)]


@pytest.mark.parametrize(
    ("helper", "body", "program"),
    [
        ("int n_of(int n, int *m) { if (n <= 0) return -1; *m = n; return 0; }", "n_of(n, &m) == 0", "a * 2.0"),
        ("int n_of(int n, int *m) { for (*m = 0; *m < n; (*m)++); return 1; }", "n_of(n, &m)", "a * 2.0"),
    ],
)
def test_a_number_whose_address_is_handed_on_is_a_variable(helper: str, body: str, program: str) -> None:
    text = f"static {helper}\nvoid f(int n, double *a) {{ int m; if ({body}) for (int i = 0; i < m; i++) a[i] *= 2; }}"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(("f",))).functions
    assert f"return {program}" in function.program, function.diagnostics
