"""Pragmas of OpenMP: loops that mean the same without them are read, all else is refused (TL575)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.frontends.c.reader import parse_c
from tensorlift.readers.clang.reader import read_parsed_literally

if TYPE_CHECKING:
    from pathlib import Path

LOOP = "for (i = 0; i < n; i++)"
KEPT = [
    f"#pragma omp parallel for\n{LOOP} a[i] = 1;",
    f"#pragma omp parallel \\\n  for private(t) schedule(static, 4)\n{LOOP} {{ t = a[i]; a[i] = t * t; }}",
    f"#ifdef _OPENMP\n#pragma omp parallel for simd if (n > 9)\n#endif\n{LOOP} a[i] = 1;",
    "#pragma omp parallel for collapse(2) private(j)\nfor (i = 0; i < n; i++) for (j = 0; j < n; j++) a[j] = i;",
    f"#pragma omp parallel for reduction(+ : s)\n{LOOP} s = a[i] + s - t;\na[0] = s;",
    f"#pragma omp parallel for reduction(max:s)\n{LOOP} if (a[i] > 0 && a[i] > s) s = a[i];\na[0] = s;",
    f"#pragma omp parallel for reduction(min:s)\n{LOOP} s = s < a[i] ? s : a[i];\na[0] = s;",
    f"#pragma omp parallel for lastprivate(t)\n{LOOP} {{ t = a[i]; a[i] = t; }}\na[0] = t;",
    f"#pragma omp parallel for firstprivate(t)\n{LOOP} a[i] = t;\na[0] = t;",
    f"double u[4];\n#pragma omp parallel for private(u)\n{LOOP} {{ u[0] = a[i]; a[i] = u[0]; }}",
    f"#pragma omp parallel for\n{LOOP} {{\n#pragma omp atomic\ns += a[i]; }}\na[0] = s;",
    f"#pragma omp simd\n{LOOP} a[i] = 1;\na[0] = i;",
    f'_Pragma("omp parallel for") {LOOP} a[i] = 1;',
    f"/*\n#pragma omp parallel\n*/ {LOOP} a[i] = 1;",
]
REFUSED = [
    f"#pragma omp parallel for private(t)\n{LOOP} t = a[i];\na[0] = t;",
    f"#pragma omp parallel for private(t)\n{LOOP} {{ a[i] = t; t = 1; }}",
    f"#pragma omp parallel for private(t)\n{LOOP} {{ if (a[i] > 0) t = 1; a[i] = t; }}",
    f"#pragma omp parallel for firstprivate(t)\n{LOOP} {{ t += 1; a[i] = t; }}",
    f"#pragma omp parallel for \\\n private(t)\n{LOOP} t = a[i];\na[0] = t;",
    f"#pragma omp parallel for private(g)\n{LOOP} {{ g = a[i]; a[i] = g; }}",
    f"#pragma omp parallel for private(MINE)\n{LOOP} t = a[i];\na[0] = t;",
    f"#pragma omp parallel for\n{LOOP} a[i] = 1;\na[0] = i;",
    f"for (j = 0; j < 2; j++) {{ a[0] += t;\n#pragma omp parallel for private(t)\n{LOOP} t = a[i]; }}",
    f"double u[4];\n#pragma omp parallel for private(u)\n{LOOP} {{ u[0] = a[i]; a[i] = u[0]; }}\na[0] = u[0];",
    f"#pragma omp parallel for reduction(+:s)\n{LOOP} s *= a[i];\na[0] = s;",
    f"#pragma omp parallel for reduction(+:s)\n{LOOP} {{ s += a[i]; a[i] = s; }}",
    f"#pragma omp parallel for reduction(max:s)\n{LOOP} if (a[i] < s) s = a[i];\na[0] = s;",
    f"#pragma omp parallel for num_threads(n++)\n{LOOP} a[i] = n;",
    f"#pragma omp parallel for linear(t)\n{LOOP} t += 1;",
    f"#pragma omp parallel for copyin(h)\n{LOOP} a[i] = h;",
    f"#pragma omp parallel for\n{LOOP} {{ h = a[i]; }}\na[0] = h;",
    f"#pragma omp parallel for\n{LOOP} {{ k = a[i]; }}\na[0] = k;",
    f"#pragma omp parallel\n{{ {LOOP} a[i] += 1; {LOOP} a[i] *= 2; }}",
    f"#pragma omp parallel\n{LOOP} a[i] += 1;",
    f"#pragma omp for\n{LOOP} a[i] += 1;",
    f"#pragma omp target teams\n{LOOP} a[i] += 1;",
    f"{LOOP} {{\n#pragma omp atomic\ng += a[i]; }}",
    f'_Pragma("omp parallel") {LOOP} a[i] += 1;',
    f"PARALLEL {LOOP} a[i] += 1;",
    "called(n, a);",
]
FILE = """#define PARALLEL ONE(omp parallel)
#define ONE(x) _Pragma(#x)
#define MINE t
static double g, h; static _Thread_local double k;
#pragma omp threadprivate(h)
static void called(int n, double *a) {
#pragma omp parallel
  { for (int i = 0; i < n; i++) a[i] += 1; }
}
void f(int n, double *a, double s, double t) { int i, j;
"""


def _codes(body: str) -> list[str]:
    parsed = parse_c(f"{FILE}{body}\n}}\n", "f.c")
    return [found.code for found in parsed.within(dict(parsed.functions)["f"])]


@pytest.mark.parametrize("body", KEPT)
def test_loops_that_mean_the_same_without_their_pragma_are_read(body: str) -> None:
    assert _codes(body) == []


@pytest.mark.parametrize("body", REFUSED)
def test_what_threads_would_do_otherwise_is_refused(body: str) -> None:
    assert _codes(body) == ["TL575"]


@pytest.mark.parametrize(("pragma", "codes"), [("omp parallel", ["TL575"]), ("omp parallel for reduction(+: s)", [])])
def test_what_a_header_defines_is_judged_by_its_own_pragmas(pragma: str, codes: list[str], tmp_path: Path) -> None:
    (tmp_path / "total.h").write_text(
        "static inline double total(int n, const double *x) { double s = 0;\n"
        f"#pragma {pragma}\nfor (int i = 0; i < n; i++) s += x[i];\nreturn s; }}\n"
    )
    main = '#include "total.h"\ndouble f(int n, double *x) { double s = 0;\n#pragma omp parallel for reduction(+: s)\n'
    main += "for (int i = 0; i < n; i++) s += x[i];\nreturn s * total(n, x); }\n"
    module = read_parsed_literally(parse_c(main, str(tmp_path / "f.c")))
    assert [found.code for function in module.functions for found in function.diagnostics] == codes
