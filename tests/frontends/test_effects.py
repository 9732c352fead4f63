"""What a source does beside computing is asked of the caller, or refused by its name; never dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

HEAD = """#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
static void die(const char *why) { fputs(why, stderr); exit(1); }
"""
LOOP = "for (int i = 0; i < n; i++) a[i] *= 2;"


def _lifted(body: str, *defines: str) -> FunctionRecord:
    text = f"{HEAD}void f(int n, int k, double s, double *a) {{ {body} }}\n"
    options = LiftOptions(("f",), defines=defines)
    (function,) = lift_source(source_from_text(text, "f.c"), options).functions
    return function


def _asked(body: str, *defines: str) -> list[str]:
    function = _lifted(body, *defines)
    assert function.program, function.diagnostics
    return [p.text for p in function.preconditions if p.kind in {"size", "assertion", "error"}]


# What stands before the loop, and what that asks for.
DEMANDS = {
    "assert(n > 3);": ["n >= 4"],
    'assert(n > 3 && "n is too small");': ["n >= 4"],
    "assert(n > 3); assert(n < 100);": ["n >= 4", "n <= 99"],
    "assert(n != 0);": ["n >= 1"],
    "assert(n % 2 == 0);": ["n >= 0", "n <= 2*(n // 2)"],
    "assert(k == n);": ["n >= 0", "k == n"],
    "assert(!(k < 2));": ["n >= 0", "k >= 2"],
    "if (n < 4) abort();": ["n >= 4"],
    "if (n < 4) { exit(1); }": ["n >= 4"],
    'if (n < 4) { fprintf(stderr, "no"); exit(1); }': ["n >= 4"],
    'if (n < 4) { fprintf(stderr, "no"); return; }': ["n >= 4"],
    'if (n < 4) perror("no");': ["n >= 4"],
    'if (n >= 4) ; else { puts("no"); abort(); }': ["n >= 4"],
    'if (n < 4) die("no");': ["n >= 4"],
    "if (n < 4 || k > 2) exit(EXIT_FAILURE);": ["n >= 4", "k <= 2"],
    "n >= 4 ? (void)0 : abort();": ["n >= 4"],
    "(n >= 4) || (abort(), 0);": ["n >= 4"],
    "n < 4 && (exit(1), 1);": ["n >= 4"],
    "if (n < 4) __builtin_trap();": ["n >= 4"],
    "int m = n - 2; assert(m >= 5);": ["n >= 7"],
    "(void)sizeof(n), __extension__ ({ if (n >= 4) ; else abort(); });": ["n >= 4"],
    "switch (k) { case 3: break; default: abort(); }": ["n >= 0", "k == 3"],
    '_Static_assert(sizeof(int) == 4, "32 bits");': ["n >= 0"],
}


@pytest.mark.parametrize("before", DEMANDS)
def test_where_the_program_ends_otherwise_is_a_precondition(before: str) -> None:
    assert sorted(_asked(f"{before} {LOOP}")) == sorted(DEMANDS[before])


def test_a_demand_in_a_loop_is_one_for_all_its_iterations() -> None:
    asked = _asked("for (int i = 0; i < n; i++) { assert(i < k); a[i] *= 2; }")
    assert asked == ["n >= 0", "n <= k"]
    assert _asked("for (int i = 0; i < n; i++) { assert(i >= 0 && i < n); a[i] *= 2; }") == ["n >= 0"]


def test_assertions_are_nothing_where_they_are_switched_off() -> None:
    for before in ("assert(n > 3);", "assert(a[0] > 0);", "assert(0);"):
        assert _asked(f"{before} {LOOP}", "NDEBUG") == ["n >= 0"]
    assert _asked(f"if (n < 4) abort(); {LOOP}", "NDEBUG") == ["n >= 4"]


def test_one_condition_or_another_is_asked_for() -> None:
    for before in ("assert(n > 3 || k > 2);", "if (k <= 2) assert(n > 3);"):
        assert any(" or " in text and "k >= 3" in text for text in _asked(f"{before} {LOOP}"))


def test_pointers_that_are_demanded_are_not_null() -> None:
    for before in ("assert(a);", "assert(a != NULL);", "if (!a) abort();", "if (a == 0) exit(1);"):
        assert [p.text for p in _lifted(f"{before} {LOOP}").preconditions][-1] == "a is not a null pointer"


# What no precondition on sizes says.
REFUSED = {
    "assert(a[0] > 0);": "assert",
    "assert(s > 0);": "assert",
    "assert(0);": "assert",
    "abort();": "abort",
    "if (a[0] < 0) exit(1);": "exit",
    "for (int i = 0; i < n; i++) if (a[i] < 0) abort();": "abort",
    "for (int i = 0; i < n; i++) assert(a[i] == a[i]);": "assert",
    "double t = a[0] > 0 ? a[0] : (abort(), 0.0); a[1] = t;": "abort",
    "__builtin_trap();": "__builtin_trap",
}


@pytest.mark.parametrize("before", REFUSED)
def test_what_no_precondition_says_is_refused_by_its_name(before: str) -> None:
    function = _lifted(f"{before} {LOOP}")
    assert not function.program
    (found,) = function.diagnostics
    assert found.code == "TL116"
    assert found.message == f"`{REFUSED[before]}` may end the run here, and no precondition on sizes says when"
    assert ("-D NDEBUG" if REFUSED[before] == "assert" else "to the caller") in found.remedy


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('printf("%d", n);', "`printf` is input or output"),
        ("puts(0);", "`puts` is input or output"),
        ("free(a);", "`free` manages heap memory"),
        ("static int calls; calls++;", "keeps its value between calls"),
        ("volatile int t = 0; a[0] = t;", "`volatile` objects are not lifted"),
        ('__asm__ volatile("nop");', "inline assembly is not lifted"),
        ("__sync_synchronize();", "`__sync_synchronize` is not known"),
        ("srand(3);", "`srand` is not known"),
        ("end: if (n > 3) goto end;", "goto"),
    ],
)
def test_other_effects_are_refused(body: str, said: str) -> None:
    assert said in _lifted(f"{LOOP} {body}").diagnostics[0].message


CPP = """#include <cassert>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <vector>
"""


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        ("assert(n > 3);", "n >= 4"),
        ("if (n < 4) std::abort();", "n >= 4"),
        ("if (n < 4) std::terminate();", "n >= 4"),
        ('if (n < 4) throw std::invalid_argument("n");', "n >= 4"),
        ("if (n < 4) { throw 3; }", "n >= 4"),
        ("assert(a != nullptr);", "a is not a null pointer"),
        ("if (a == nullptr) throw 1;", "a is not a null pointer"),
    ],
)
def test_what_ends_a_function_in_cpp_is_a_precondition(before: str, asked: str) -> None:
    text = f"{CPP}void f(int n, double *a) {{ {before} {LOOP} }}\n"
    (function,) = lift_source(source_from_text(text, "f.cpp"), LiftOptions()).functions
    assert asked in [p.text for p in function.preconditions], function.diagnostics


def test_sizes_of_vectors_are_demanded() -> None:
    loop = "for (std::size_t i = 0; i < x.size(); i++) y[i] += x[i];"
    for before in ("assert(x.size() == y.size());", "if (x.size() != y.size()) throw 1;"):
        text = f"{CPP}void f(const std::vector<double>& x, std::vector<double>& y) {{ {before} {loop} }}\n"
        (function,) = lift_source(source_from_text(text, "f.cpp"), LiftOptions()).functions
        assert "x.size() == y.size()" in [p.text for p in function.preconditions]
    text = f"{CPP}void f(std::vector<double>& x) {{ for (auto &v : x) {{ if (v < 0) throw 1; v *= 2; }} }}\n"
    (function,) = lift_source(source_from_text(text, "f.cpp"), LiftOptions()).functions
    assert function.diagnostics[0].message.startswith("`throw` may end the run here")


PYTHON = """def f(x, y, n: int):
    {before}
    for i in range(n):
        y[i] = x[i]
"""


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        ("assert n > 2", "n >= 3"),
        ("assert n > 2, 'small'", "n >= 3"),
        ("assert 2 < n <= 90", "n <= 90"),
        ("assert n > 2 and len(x) == len(y)", "n >= 3"),
        ("assert len(x) == len(y)", "x.shape[0] == y.shape[0]"),
        ("if n < 3: raise ValueError('small')", "n >= 3"),
        ("if n < 3: raise ValueError(f'{n} is small')", "n >= 3"),
        ("if not n > 2: raise IndexError", "n >= 3"),
        ("if len(x) != len(y): raise ValueError", "x.shape[0] == y.shape[0]"),
    ],
)
def test_what_ends_a_function_in_python_is_a_precondition(before: str, asked: str) -> None:
    (function,) = lift_source(source_from_text(PYTHON.format(before=before), "f.py"), LiftOptions()).functions
    assert asked in [p.text for p in function.preconditions], function.diagnostics


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("assert x[0] > 0", "`assert` may end the run here"),
        ("if x[0] < 0: raise ValueError", "`raise` may end the run here"),
        ("raise ValueError", "`raise` may end the run here"),
        ("print(n)", "the function `print` is not known"),
        ("x.sort()", "the function `x.sort` is not known"),
        ("global seen", "`global seen` is not lifted"),
        ("del x", "`del x` is not lifted"),
        ("import warnings", "`import warnings` is not lifted"),
        ("np.seterr(all='raise')", "the function `np.seterr` is not known"),
        ("yield x", "is not lifted"),
    ],
)
def test_other_effects_in_python_are_refused(before: str, said: str) -> None:
    (function,) = lift_source(source_from_text(PYTHON.format(before=before), "f.py"), LiftOptions()).functions
    assert not function.program
    assert said in function.diagnostics[0].message


MLIR = """func.func private @ext(index)
func.func @f(%n: index, %a: memref<?xf64>) {{
  affine.for %i = 0 to %n {{
    %v = affine.load %a[%i] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    affine.store %w, %a[%i] : memref<?xf64>
  }}
  {effect}
  return
}}
"""


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        ('%t = "my.test"() : () -> i1\n  cf.assert %t, "no"', "my.test"),
        ("func.call @ext(%n) : (index) -> ()", "`ext` has no body here"),
        ("memref.dealloc %a : memref<?xf64>", "`memref.dealloc` of an argument frees the caller's memory"),
        ("gpu.barrier", "gpu.barrier"),
        ('"my.op"(%n) : (index) -> ()', "my.op"),
    ],
)
def test_effects_in_mlir_are_refused(effect: str, said: str) -> None:
    record = lift_source(source_from_text(MLIR.format(effect=effect), "f.mlir"), LiftOptions())
    assert not any(function.program for function in record.functions)
    assert said in record.all_diagnostics[0].message
