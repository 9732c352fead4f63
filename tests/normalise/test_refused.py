"""What C's front end refuses is refused from literal IR at the same place, but for what that lifts or says better."""

from __future__ import annotations

from typing import Any

import pytest
from tests.lifts import loop_ir_of

from tensorlift import reading
from tensorlift.diagnostics import Diagnostic, LiftError, Location
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text


def _refusal(text: str, function: str = "f") -> Diagnostic:
    """Return why a function is refused that is read from literal IR."""
    (found,) = reading.read(source_from_text(text, "k.c"), LiftOptions(functions=(function,)))
    with pytest.raises(LiftError) as refused:
        loop_ir_of(found)
    return refused.value.diagnostics[0]


@pytest.mark.parametrize(
    "text",
    [
        "void f(int n, double *a) {\n  int i = 0;\nagain:\n  a[i] = 1;\n  if (++i < n) goto again;\n}\n",  # a jump back
        "void f(int n, double *a) {\n  switch (n--) {\n  case 1: a[0] = 1;\n  case 2: a[1] = 1;\n  }\n}\n",  # switch
        "void f(int n, int *a) {\n  int t = 0;\n  a[0] = n > 2 ? t++ : t--;\n}\n",  # side effect ?:
        "void f(int *a, int *b) {\n  if (a[0] && b[0]++)\n    a[0] = 1;\n}\n",  # side effect &&
        "void f(double *a) {\n  double t[1000] = {0};\n  a[0] = t[0];\n}\n",  # big init
    ],
)
def test_what_is_told_by_literal_ir_is_lifted(text: str) -> None:
    (found,) = lift_source(source_from_text(text, "k.c"), LiftOptions(functions=("f",), test=True)).functions
    assert found.lifted, found.diagnostics


UNSIGNED = {
    "for (unsigned i = 0; i <= n; i++) a[i] = 1;": ["n <= 4294967294"],
    "for (unsigned i = n; i > 0; i--) a[i - 1] = 1;": [],
    "for (unsigned i = 0; i < n - 1; i++) a[i] = 1;": ["n >= 1"],
    "for (int i = n - 1; i >= 0; i--) a[i] = 1;": ["n >= 1", "n <= 2147483648"],
    "for (unsigned char i = 0; i < n; i++) a[i] = 1;": ["n <= 255"],
    "for (short i = 0; i < (int)n; i++) a[i] = 1;": ["n <= 32767"],
    "for (unsigned i = 0, j = n; i < j; i++, j--) a[i] = a[j];": [],
}


@pytest.mark.parametrize("loop", UNSIGNED)
def test_counters_that_may_wrap_are_asked_not_to(loop: str) -> None:
    source = source_from_text(f"void f(unsigned n, double *a) {{ {loop} }}", "k.c")
    (found,) = reading.read(source, LiftOptions())
    function = next(op for op in loop_ir_of(found).walk() if op.name == "func.func")
    stated: Any = function.attributes.get("tl.requires", ())
    assert [entry.data["text"].data for entry in stated] == UNSIGNED[loop]


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("void f(double *a) {\n  while (1)\n    a[0] = 1;\n}", "TL110", 2, 3),
        ("int f(int n) {\n  for (int i = 0; i < n; i++)\n    if (i > 3)\n      return i;\n}", "TL117", 2, 3),
        ("int f(int n) {\n  if (n > 2)\n    return 1;\n}", "TL117", 2, 7),
        ("int m;\nvoid f(double *a) {\n  for (m = 0; m < 4; m++)\n    a[m] = 1;\n}", "TL165", 1, 5),
    ],
)  # fmt: skip
def test_more_is_refused_at_its_place(text: str, code: str, line: int, column: int) -> None:
    found = _refusal(text)
    assert (found.code, found.location) == (code, Location("k.c", line, column))


def test_calls_on_the_way_are_noted() -> None:
    found = _refusal("static void g(double *a) {\n  while (1) a[0] /= 2;\n}\nvoid f(double *a) {\n  g(a);\n}")
    assert [(note.message, note.location) for note in found.notes] == [
        ("in `g`, called from here", Location("k.c", 5, 3))
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("void f(int n, double *a) {" + "for (int i = 0; i < n; i++) a[i] = 0;" * 1500 + "}", "TL164"),
        ("".join(f"static double g{k + 1}(double x) {{ return g{k}(x) + g{k}(x); }}\n" for k in range(20)).join(
            ("static double g0(double x) { return x; }\n", "double f(double x) { return g20(x); }")), "TL164"),
        ("#include <stdlib.h>\nvoid f(double *a) { a[0] = 1; free(a); }", "TL151"),
        ("void f(int n) { end: if (n > 3) goto end; }", "TL111"),
    ],
)  # fmt: skip
def test_what_is_too_large_or_never_ends_is_refused(text: str, code: str) -> None:
    assert _refusal(text).code == code


@pytest.mark.parametrize(
    "before",
    [
        'assert(n > 3 && "n is too small");',
        'if (n < 4) { fprintf(stderr, "no"); exit(1); }',
        "(void)sizeof(n), ({ if (n >= 4) ; else abort(); });",
    ],
)
def test_what_is_told_before_the_program_ends_is_no_part_of_it(before: str) -> None:
    head = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    source = source_from_text(f"{head}void f(int n, double *a) {{ {before} a[0] = n; }}", "k.c")
    (found,) = reading.read(source, LiftOptions())
    function = next(op for op in loop_ir_of(found).walk() if op.name == "func.func")
    requires: Any = function.attributes["tl.requires"]
    assert [entry.data["text"].data for entry in requires] == ["n >= 4"]


def test_what_the_program_writes_before_it_goes_on_is_refused() -> None:
    text = '#include <stdio.h>\nvoid exit(int n) {}\nvoid f(int n, double *a) {\n  puts("no"); exit(1); a[n] = 1; }'
    found = _refusal(text)
    assert (found.code, found.location) == ("TL152", Location("k.c", 4, 3))


def test_a_ladder_of_cases_that_fall_through_is_refused_before_it_is_written_out() -> None:
    cases = "\n".join(f"case {k}: y[i] = x[i] * {k}.5;" for k in range(100))
    body = f"for (int i = 0; i < n; i++) switch (k[i]) {{\n{cases}\ndefault: y[i] = 0.0; }}"
    found = _refusal(f"void f(int n, int k[n], double x[n], double y[n]) {{ {body} }}")
    assert (found.code, found.message) == ("TL164", "more than 40000 operations by ends that are shared")
