"""Parts of C functions as functions of their own: which statements they are, what they take, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c.outline.text import outlined
from tensorlift.frontends.c.outline.unit import Unit

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.frontends.c.outline.stretches import Stretch
    from tensorlift.frontends.c.outline.text import Outlined

HEAD = """#include <stdio.h>
#include <stdlib.h>
int g, table[9];
struct pair { int a, b; };
struct held { int *q; struct held *next; int c[4]; };
"""


HEAD_OF_F = "void f(int n, double *a, int *b)"


def _stretches(body: str, head: str = HEAD_OF_F) -> list[Stretch]:
    (function,) = Unit(f"{HEAD}{head} {{\n{body}\n}}\n", "f.c", ()).definitions()
    return list(function.stretches)


def _first(body: str) -> Outlined:
    return outlined(_stretches(body)[0], "part", lambda name: name)


# What a function of the loop takes, and what is copied, by the statements around it.
COPIES = [
    ("int i; for (i = 0; i < n; i++) a[i] = 1;", ["int i;"], []),
    ('int i; for (i = 0; i < n; i++) a[i] = 1; printf("%d", i);', ["int i;"], ["*i_out = i;"]),
    ('int i; for (i = 0; i < n; i++) a[i] = 1; for (i = 0; i < n; i++) puts("");', ["int i;"], []),
    ('int i; for (i = 0; i < n; i++) a[i] = 1; puts(""); if (n) i = 3; printf("%d", i);', ["int i;"], ["*i_out = i;"]),
    ('int i; for (i = 0; i < n; i++) a[i] = 1; puts(""); if (n) i = 3; else i = 4; printf("%d", i);', ["int i;"], []),
    ('double s = 0; for (int i = 0; i < n; i++) s += a[i]; printf("%g", s);', ["double s = *s_out;"], ["*s_out = s;"]),
    ('double t; for (int i = 0; i < n; i++) { t = a[i]; a[i] = t * t; } puts("");', ["double t;"], []),
    ("double *p; for (int i = 0; i < n; i++) { p = a + i; *p = 1; }", ["double *p;"], []),
    ("double *p = a; for (int i = 0; i < n; i++) *p++ = 1;", [], []),
    ('int t; for (int i = 0; i < n; i++) t = b[i]; printf("%d", t);', ["int t = *t_out;"], ["*t_out = t;"]),
    ("static int s; for (int i = 0; i < n; i++) s += b[i];", ["int s = *s_out;"], ["*s_out = s;"]),
    ("for (int i = 0; i < n; i++) a[i] = g;", [], []),
    ("for (int i = 0; i < n; i++) { a[i] = 1; g = 3; }", ["int g = *g_out;"], ["*g_out = g;"]),
    # The loop runs again, and reads what the iteration before left behind.
    (
        'int s = 0; while (getchar() > 0) { printf("%d", s); for (int i = 0; i < n; i++) s = b[i]; }',
        ["int s = *s_out;"],
        ["*s_out = s;"],
    ),
    (
        'int s; while (getchar() > 0) { s = 0; puts(""); for (int i = 0; i < n; i++) s += b[i]; b[0] = s; }',
        [],
        [],
    ),
    # A jump may skip the statement that writes first.
    (
        'int i; do { for (i = 0; i < n; i++) a[i] = 1; if (getchar()) break; i = 7; } while (0); printf("%d", i);',
        ["int i;"],
        ["*i_out = i;"],
    ),
]


@pytest.mark.parametrize(("body", "before", "after"), COPIES)
def test_variables_are_copied_where_others_see_them(body: str, before: list[str], after: list[str]) -> None:
    stretch = _stretches(body, "void f(int n, double *a)" if "g = 3" in body else HEAD_OF_F)[0]
    while stretch.statements[0].kind.name != "FOR_STMT":
        (stretch, *_) = stretch.parts()
    part = outlined(stretch, "part", lambda name: name)
    assert (list(part.before), list(part.after)) == (before, after)


def test_structures_and_pointers_to_them_are_handed_over() -> None:
    body = "struct pair p = {1, 2}; struct held *h = malloc(8); for (int i = 0; i < n; i++) h->q[i] = p.b;"
    assert _first(body).parameters == ("int n", "struct pair p", "struct held *h")


REFUSED = [
    ("int *p = &n; for (int i = 0; i < 4; i++) { n += i; *p += 1; } exit(n);", "TL572", "a copy of `n`"),
    ("for (int i = 0; i < n; i++) b[i] = g;", "TL572", "`g`, which `b` may point to"),
    ("int k[4]; for (int i = 0; i < (int)(sizeof k / sizeof k[0]); i++) k[i] = i;", "TL571", "`sizeof` of `k`"),
    ('double *p = a; for (int i = 0; i < n; i++) *p++ = i; printf("%p", (void *)p);', "TL570", "the pointer `p`"),
    ("volatile int v = 1; for (int i = 0; i < n; i++) a[i] = v;", "TL144", "volatile"),
    ("struct pair p = {1, 2}; for (int i = 0; i < n; i++) p.b += b[i];", "TL140", "struct pair"),
    ("struct pair p = {1, 2}; int *q = &p.b; for (int i = 0; i < n; i++) *q += p.b;", "TL140", "struct pair"),
    ("static struct pair p; for (int i = 0; i < n; i++) a[i] = p.b;", "TL140", "struct pair"),
    ("struct own { int a; } p = {1}; for (int i = 0; i < n; i++) a[i] = p.a;", "TL140", "struct own"),
    ("struct held p = {b}; for (int i = 0; i < n; i++) a[i] = p.c[i];", "TL140", "struct held"),
    ("struct held *p = malloc(8); for (int i = 0; i < n; i++) a[i] = p->q[i] + g;", "TL572", "`g`, which `p` may"),
    ("int m = n; double (*c)[m] = malloc(8); m = 2; for (int i = 0; i < n; i++) c[i][0] = 1;", "TL573", "`c`"),
    ('register int r = 0; for (int i = 0; i < n; i++) r += b[i]; printf("%d", r);', "TL139", "`r`"),
    ("for (int i = 0; i < n; i++) { if (a[i] > 3) return; a[i] = 1; }", "TL114", "`return`"),
    ("for (int i = 0; i < n; i++) { if (a[i] > 3) goto out; a[i] = 1; }\nout: ;", "TL111", "goto"),
    ("for (int i = 0; i < n; i++)\n#ifdef X\n a[i] = 1;\n#else\n a[i] = 2;\n#endif\n", "TL576", "`#ifdef X`"),
    ("for (int i = 0; i < n; i++) {\n#pragma omp task\n g += 1; }", "TL575", "`#pragma omp task`"),
    ("int k[4];\n#pragma omp simd private(k)\nfor (int i = 0; i < n; i++) a[i] = k[0];", "TL575", "private(k)"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "detail"), REFUSED, ids=[f"{row[1]} {row[2]}" for row in REFUSED])
def test_what_cannot_be_moved_is_refused(body: str, code: str, detail: str) -> None:
    with pytest.raises(LiftError) as caught:
        _first(body)
    (found,) = caught.value.diagnostics
    assert (found.code, detail in found.message) == (code, True), found
    assert found.location is not None
    assert found.remedy


def test_statements_of_another_file_are_not_taken_for_some_of_this_one(tmp_path: Path) -> None:
    (tmp_path / "body.h").write_text("for (int i = 0; i < n; i++) a[i] = 0;\n")
    text = f'void f(int n, double *a)\n{{\n#include "{tmp_path}/body.h"\n}}\n'
    (found,) = Unit(text, "f.c", ()).definitions()
    assert found.stretches == ()
    assert [(d.code, d.message) for d in found.errors] == [("TL576", "statements of this function stand in `body.h`")]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ('b[0] = 1; for (;;) ; b[1] = 2; puts(""); b[2] = 3;', ["b[0] = 1; for (;;) ; b[1] = 2;"]),
        ("for (;;) a[0] = 1; int i = 0; for (;;) a[1] = 2;", ["for (;;) a[0] = 1;", "for (;;) a[1] = 2;"]),
        ("#pragma omp parallel\n{ for (;;) a[0] = 1; }\nfor (;;) a[1] = 2;", ["for (;;) a[1] = 2;"]),
        ("#pragma scop\nfor (;;) a[1] = 2;\n#pragma endscop", ["for (;;) a[1] = 2;"]),
        ('if (n) for (;;) a[0] = 1; else puts("");', ['if (n) for (;;) a[0] = 1; else puts("");']),
        ("for (;;) { a[0] = 1; } ; b[0] = 1;", ["for (;;) { a[0] = 1; } ; b[0] = 1;"]),
        ("for (;;) a[0] = 1 /* ; */ ;", ["for (;;) a[0] = 1 /* ; */ ;"]),
    ],
)  # fmt: skip
def test_stretches_are_as_long_as_they_can_be(body: str, texts: list[str]) -> None:
    found = _stretches(body)
    assert [one.function.text[one.start : one.end].decode() for one in found] == texts


def test_a_refused_stretch_is_tried_loop_by_loop() -> None:
    (stretch,) = _stretches("for (;;) a[0] = 1; b[0] = 2; for (;;) { for (;;) a[1] = 2; b[1] = 3; }")
    loops = stretch.parts()
    assert [one.location.column for one in loops] == [1, 30]
    assert loops[0].parts() == []
    (inner,) = loops[1].parts()
    assert inner.location.column == 41
