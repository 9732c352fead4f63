"""Loop IR that is made of literal IR: places, closed forms, cells and branches."""

from __future__ import annotations

import re

import pytest
from tests.lifts import loop_ir_of

from tensorlift import reading
from tensorlift.diagnostics import LiftError
from tensorlift.ir.text import print_module
from tensorlift.normalise.inline import MOST_OPERATIONS
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import read_source, source_from_text


def _lines(text: str, file: str = "f.c") -> list[str]:
    """Return the lines of the body of the loop IR of a function, without attributes."""
    (function,) = reading.read(source_from_text(text, file), LiftOptions())
    lines = print_module(loop_ir_of(function)).splitlines()[2:-2]
    return [re.sub(r" : .*|\{tl.*", "", line.strip()).strip() for line in lines]


@pytest.mark.parametrize(
    ("text", "access"),
    [
        ("void f(int n, double a[n][n]) { for (int i = 0; i < n; i++) a[i][n - 1] = 0; }", "%a[%i, symbol(%n) - 1]"),
        ("void f(int n, double a[n][n]) { for (int i = 1; i < n; i++) a[i - 1][i] = 0; }", "%a[%i - 1, %i]"),
        ("void f(int n, int m, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] = 0;}",
         "%a[%i, %j]"),
        ("void f(int n, double *a) { for (double *p = a; p != a + n; p++) *p = 0; }", "%a[%p_at]"),
        ("void f(int n, double *a) { int k = 3; for (int i = 0; i < n; i++) { k += 2; a[k] = 0; } }", "%a[%i * 2 + 5]"),
        ("void f(int n, double *a) { int k = 0; for (int i = 0; i < n; i++) k++; a[k] = 0; }", "%a[symbol(%n)]"),
        ("void f(int n, double *a) { for (int i = n; i-- > 0;) a[i] = 0; }", "%a[symbol(%n) - %i - 1]"),
        ("void f(int n, double **a) { for (int i = 0; i < n; i++) a[i][2] = 0; }", "%a[%i, 2]"),
    ],
)  # fmt: skip
def test_an_offset_becomes_subscripts(text: str, access: str) -> None:
    assert [line.partition(", ")[2] for line in _lines(text) if line.startswith("affine.store")] == [access]


@pytest.mark.parametrize(
    ("head", "step", "access"),
    [
        ("int i = 0; i < n; i++", "if (i >= k) p += 2;", ["%x[%i * 2 - symbol(%k) * 2]", "%x[0]"]),
        ("int i = 0; i < n; i++", "p = i < k ? p : p + 1;", ["%x[%i - symbol(%k)]", "%x[0]"]),
        ("int i = 0; i < n; i++", "if (i < k) p += 3; else p -= 1;", ["%x[symbol(%k) * 4 - %i]", "%x[%i * 3]"]),
        ("int i = n - 1; i >= 0; i--", "if (n - i <= k) p++;", ["%x[symbol(%k)]", "%x[%i]"]),
        ("int i = n; i > 0; i--", "if (!(k < n - i)) p++;", ["%x[symbol(%k) + 1]", "%x[%i]"]),
    ],
)
def test_a_place_moves_by_other_steps_from_an_iteration_on(head: str, step: str, access: list[str]) -> None:
    text = f"""void f(int n, int k, double *y, const double *x) {{
      int p = 0; if (k < 1) return; for ({head}) {{ y[i] = x[p]; {step} }} }}"""
    loads = [line.partition("affine.load ")[2] for line in _lines(text) if "affine.load %x" in line]
    assert loads == access


def test_a_loop_over_a_product_that_it_divides_becomes_a_nest() -> None:
    text = "void f(int n, int m, double *x, const double *s) { for (int i = 0; i < n * m; i++) x[i] *= s[i % m]; }"
    loops = [line for line in _lines(text) if line.startswith("affine.for")]
    assert loops == ["affine.for %i = 0 to %n {", "affine.for %i_1 = 0 to %m {"]


@pytest.mark.parametrize("least", ["t + 8 < n ? t + 8 : n", "n <= t + 8 ? n : t + 8"])
def test_the_least_of_two_integers_bounds_a_loop_twice(least: str) -> None:
    text = f"""void f(int n, double *x) {{
      for (int t = 0; t < n; t += 8) {{ int e = {least}; for (int i = t; i < e; i++) x[i] = 0; }} }}"""
    (bound,) = [line for line in _lines(text) if line.startswith("affine.for %i")]
    assert "min affine_map" in bound


def test_the_greatest_of_two_integers_bounds_a_loop_by_cases() -> None:
    text = "void f(int n, int m, double *x) { int e = n < m ? m : n; for (int i = 0; i < e; i++) x[i] = 0; }"
    bounds = [line.partition(" to ")[2] for line in _lines(text) if line.startswith("affine.for")]
    assert bounds == ["%m {", "%n {"]


@pytest.mark.parametrize(
    ("text", "accesses"),
    [
        ("void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) { int l = i ? i - 1 : 0; y[i] = x[l]; } }",
         ["%x[%i - 1]", "%x[0]"]),
        ("void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[(i + 1) % n]; }",
         ["%x[%i - symbol(%n) + 1]", "%x[%i + 1]"]),
        ("void f(int n, double *x, double *y) { int p = n - 1; for (int i = 0; i < n; i++) { y[i] = x[p]; p = i; } }",
         ["%x[%i - 1]", "%x[symbol(%n) - 1]"]),
        ("void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) { double *p = i < 3 ? x : y; p[i]++; } }",
         ["%x[%i]", "%y[%i]"]),
        ("void f(int n, double *x) { for (int i = 0; i < n; i++) { int l = i - 1; if (l < 0) l += n; x[i] += x[l]; } }",
         ["%x[%i]", "%x[%i + symbol(%n) - 1]", "%x[%i - 1]"]),
    ],
)  # fmt: skip
def test_a_place_with_several_values_is_reached_by_cases(text: str, accesses: list[str]) -> None:
    loads = [line.partition("affine.load ")[2] for line in _lines(text)]
    assert sorted(access for access in loads if access.startswith(("%x", "%y"))) == sorted(accesses)


def test_a_variable_that_a_nest_adds_up_in_has_one_cell() -> None:
    text = """double f(int n, double a[n][n]) {
      double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += a[i][j]; return s; }"""
    lines = _lines(text)
    assert [line.partition(" = ")[0] for line in lines if "alloca" in line] == ["%s"]
    assert sum(line.startswith("affine.store") for line in lines) == 2


def test_variables_that_are_exchanged_keep_cells_of_their_own() -> None:
    text = """double f(int n, double a, double b) {
      for (int i = 0; i < n; i++) { double t = a; a = b; b = t; } return a - b; }"""
    lines = _lines(text)
    assert [line.partition(" = ")[0] for line in lines if "alloca" in line] == ["%a_1", "%b_1"]
    body = lines[lines.index("affine.for %i = 0 to %n {") + 1 :][:4]
    assert [line.partition(" = ")[2] for line in body[:2]] == ["affine.load %b_1[]", "affine.load %a_1[]"]
    assert body[2:] == ["affine.store %0, %a_1[]", "affine.store %1, %b_1[]"]


def test_a_condition_on_exact_integers_is_affine_and_one_on_data_is_not() -> None:
    text = """void f(int n, double a[n]) {
      for (int i = 0; i < n; i++) { if (i > 2 && i < n - 3) a[i] = 1; if (a[i] < 0) a[i] = 0; } }"""
    conditions = [line for line in _lines(text) if ".if" in line]
    assert [line.split()[0] for line in conditions] == ["affine.if", "scf.if"]


def test_a_branch_that_the_loops_around_decide_is_left_out() -> None:
    text = "void f(int n, double a[n]) { for (int i = 0; i < n; i++) if (i >= 0) a[i] = 1; }"
    assert not any(".if" in line for line in _lines(text))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("void f(int n, const int *k, double **a) { for (int i = 0; i < n; i++) a[k[i]][0] = 0; }", "TL130"),
        ("void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) { double *t = a; a = b; b = t; *a = i; } }",
         "TL137"),
        ("void f(int n, double *a) { if (n > 5) goto in; while (n > 0) { a[n] = 0; in: n--; } }", "TL111"),
    ],
)  # fmt: skip
def test_what_has_no_loop_ir_is_refused(text: str, code: str) -> None:
    with pytest.raises(LiftError) as refused:
        _lines(text)
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == [code]


_LOOP = "for (int i = 0; i < n; i++) a[i] = 0;"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("if (n < 4) abort();", ["n >= 4"]),
        ("if (n >= 4) ; else abort();", ["n >= 4"]),
        ("if (n < 4) { if (n < 2) exit(1); else abort(); }", ["n >= 4"]),
        ("if (n < 4 || k > 2) abort();", ["n >= 4", "k <= 2"]),
        ("for (int i = 0; i < n; i++) if (i >= k) abort();", ["n <= k"]),
        ("for (int i = 0; i < n; i++) if (i >= n) abort();", []),
    ],
)
def test_what_ends_the_program_at_some_sizes_is_asked_of_the_caller(text: str, asked: list[str]) -> None:
    assert _asked(f"void abort(void); void exit(int); void f(int n, int k, double *a) {{ {text} {_LOOP} }}") == asked


def _asked(text: str) -> list[str]:
    (function,) = reading.read(source_from_text(text, "f.c"), LiftOptions())
    return re.findall(r'kind = "assertion", text = "(.*?)"', print_module(loop_ir_of(function)))


@pytest.mark.parametrize(
    "text", ["if (a[0] < 0) abort();", "abort();", "if (a[1] > 2) { a[1] = 2; if (n < 3) abort(); }"]
)
def test_what_ends_the_program_by_data_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(LiftError) as refused:
        _lines(f"void abort(void); void f(int n, int k, double *a) {{ {text} {_LOOP} }}")
    (diagnostic,) = refused.value.diagnostics
    assert (diagnostic.code, diagnostic.message.partition(" ")[0]) == ("TL116", "`abort`")


def test_rows_that_are_appended_have_one_length() -> None:
    text = """#include <vector>
std::vector<std::vector<int>> f(int n) {
  std::vector<std::vector<int>> x;
  for (int i = 0; i < n; i++) x.push_back(std::vector<int>(LENGTH, 1));
  return x;
}"""
    assert _lines(text.replace("LENGTH", "n"), "f.cpp")
    with pytest.raises(LiftError) as refused:
        _lines(text.replace("LENGTH", "i"), "f.cpp")
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == ["TL135"]


def test_rows_of_rows_have_a_dimension_each() -> None:
    text = """#include <vector>
double f(const std::vector<std::vector<std::vector<double>>> &v, int i, int j) {
  double s = 0;
  for (double x : v[i][j]) s += x;
  return s;
}"""
    (load,) = [line for line in _lines(text, "f.cpp") if line.startswith("%") and "affine.load %v" in line]
    assert "%v[symbol(%i), symbol(%j), %" in load


def test_pointers_into_a_row_bound_a_loop() -> None:
    text = """#include <vector>
double f(const std::vector<std::vector<double>> &v, int i) {
  double s = 0;
  for (auto p = v[i].begin(); p != v[i].end(); ++p) s += *p;
  return s;
}"""
    assert "affine.for %p_at = 0 to %v_row_size {" in _lines(text, "f.cpp")


def test_a_term_of_a_sum_without_sign_may_be_negative() -> None:
    text = """void f(unsigned long n, double *a, const double *b) {
      for (unsigned long i = 1; i + 1 < n; i++) for (int d = -1; d <= 1; d++) a[i] += b[i + d]; }"""
    assert any("affine.load %b[%d + %i]" in line for line in _lines(text))


@pytest.mark.parametrize(
    ("body", "start"),
    [
        ("if (x[i] > x[k]) k = i;", "0"),
        ("k = x[i] > x[k] ? i : k;", "0"),
        ("if (x[i] + y[i] > x[k] + y[k]) k = i;", "0"),
        ("if (x[i] > 0 && x[i] < x[k]) k = i;", "0"),
        ("if (x[i] > x[k]) k = i;", "m"),
    ],
)
def test_no_loop_reads_at_a_place_that_it_keeps(body: str, start: str) -> None:
    text = f"""int f(int n, int m, const double *x, const double *y) {{
      int k = {start}; for (int i = {start} + 1; i < n; i++) {body} return k; }}"""
    assert not any("memref.load" in line for line in _lines(text))
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert function.level is Level.PROVED


def test_a_loop_that_writes_reads_at_a_place_that_it_keeps() -> None:
    loop = "for (int i = 0; i < n; i++) { if (x[i] > x[k]) k = i; x[i] = 0; }"
    text = f"int f(int n, int *x) {{ int k = 0; {loop} return k; }}"
    assert any("memref.load %x[" in line for line in _lines(text))


def test_a_long_function_is_refused() -> None:
    text = f"void f(int n, double *a) {{ {'a[n] += 1; ' * 2400} }}"
    with pytest.raises(LiftError, match=f"more than {MOST_OPERATIONS} operations"):
        _lines(text)


@pytest.mark.parametrize(
    "file",
    [
        "bench/kernels/polybench/gemm.c",
        "bench/kernels/utdsp/fir_small.c",
        "bench/legacy_programs/layernorm_rows.c",
        "bench/cpp_programs/flat_matmul.cpp",
        "bench/mlir_programs/layouts.mlir",
        "tests/programs/early_return.c",
        "tests/programs/matmul_cut_tiles.c",
        "tests/programs/pointer_walk.c",
        "tests/programs/unsigned_ends_meet.c",
    ],
)
def test_both_halves_of_a_lift_are_proved(file: str) -> None:
    for function in lift_source(read_source(file), LiftOptions()).functions:
        assert (function.level, function.definitions) == (Level.PROVED, Level.PROVED)


_EXCHANGE = """#include <stdlib.h>
void f(int n, double *u) {{
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b){more};
  for (int i = 0; i < n; i++) a[i] = b[i] = u[i];
  for (int k = 0; k < 9; k++) {{ for (int i = 0; i < n; i++) b[i] = 2 * a[i]; double *t = a; a = b; b = t; }}
  for (int i = 0; i < n; i++) u[i] = a[i]{last};
}}"""


def test_arrays_that_change_places_exchange_their_elements() -> None:
    lines = _lines(_EXCHANGE.format(more="", last=""))
    at = next(number for number, line in enumerate(lines) if line.startswith("affine.for %z"))
    assert [line.rpartition(" = ")[2] for line in lines[at + 1 : at + 5]] == [
        *("affine.load %b[%z]", "affine.load %a[%z]", "affine.store %4, %a[%z]", "affine.store %5, %b[%z]")
    ]


def test_arrays_that_are_reached_otherwise_do_not_change_places() -> None:
    with pytest.raises(LiftError, match="TL137"):
        _lines(_EXCHANGE.format(more=", *c = a", last=" + c[i]"))


def test_a_search_leaves_what_is_chosen_behind_it() -> None:
    text = "int f(int n, const double *x) { for (int i = 0; i < n; i++) if (x[i] < 0) return i; return -1; }"
    lines = _lines(text)
    assert [line for line in lines if "alloca" in line or "select" in line] == ["%left = memref.alloca()"]


@pytest.mark.parametrize(
    "text",
    [
        "int f(int n, double *x) { if (!x) return -1; for (int i = 0; i < n; i++) x[i] = 0; return 0; }",
        (
            "static int no(double *p) { return p == 0; }\n"
            "int f(int n, double *x) { if (no(x)) return -1; for (int i = 0; i < n; i++) x[i] = 0; return 0; }"
        ),
        (
            "static int no(double *p) { return p == 0; } static int nor(int k, double *p) { return no(p + k); }\n"
            "int f(int n, double *x) { if (nor(n, x)) return -1; for (int i = 0; i < n; i++) x[i] = 0; return 0; }"
        ),
        (
            "struct s { double *x; };\n"
            "int f(int n, struct s *s) { if (s->x != 0) for (int i = 0; i < n; i++) s->x[i] = 0; return 0; }"
        ),
    ],
)
def test_a_pointer_that_is_compared_with_null_is_stated_to_be_none(text: str) -> None:
    (function,) = reading.read(source_from_text(text, "f.c"), LiftOptions(functions=("f",)))
    assert "x is not a null pointer" in print_module(loop_ir_of(function))


@pytest.mark.parametrize(
    "text",
    [
        "void f(int n, double **x) { for (int i = 0; i < n; i++) if (x[i]) x[i][0] = 0; }",
        "void f(int n, double *x, double *y) { double *p = n > 3 ? x : y; if (p) p[0] = 0; }",
    ],
)
def test_a_pointer_that_is_no_array_is_not_compared_with_null(text: str) -> None:
    with pytest.raises(LiftError, match="TL13"):
        _lines(text)


@pytest.mark.parametrize("total", ["rows * cols", "cols * rows"])
def test_a_flat_array_has_its_dimensions_in_the_order_of_the_source(total: str) -> None:
    counted = f"void f(int rows, int cols, float *a) {{ for (int i = 0; i < {total}; i++) a[i] = i; }}"
    jumping = (
        f"void f(int rows, int cols, float *a) {{ int i = 0; t: if (i >= {total}) return; a[i] = i; i++; goto t; }}"
    )
    programs = [
        function.program
        for text in (counted, jumping)
        for function in lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    ]
    assert programs[0]
    assert programs[0] == programs[1]
