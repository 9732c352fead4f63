"""``tensorlift lift --in-place``: programs give the same before and after, and what is not replaced stays as it was."""

from __future__ import annotations

import ctypes.util
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from bench.fuzz_in_place import difference
from tests.shared import sampled

from tensorlift.cli import main

if TYPE_CHECKING:
    from pathlib import Path

_NEEDS_COMPILER = pytest.mark.skipif(
    shutil.which("cc") is None or ctypes.util.find_library("openblas") is None,
    reason="there is no C compiler, or no OpenBLAS",
)

LOOP = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
# Everything that could go wrong, and is printed.
TRICKY = """// a program of odd loops
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#define FOR(i, n) for (i = 0; i < (n); i++)
#define CLEAR a[i] = 0;
#define BOTH for (i = 0; i < 4; i++) a[i] += 1; for (i = 0; i < 4; i++) a[i] *= 2;
#define OPEN for (i = 0; i < 4; i++) {
#define CLOSE }
int g = 3;
static int counter;
int helper(int x) { counter++; return x + counter; }
static int pure(int x) { return 2 * x; }
/* the last one */ int last(int n) { int i, r = 0; for (i = 0; i < n; i++) r += i; return i * 100 + r; }
void again(int *a) { int i = 0; int k = 5;
again: for (i = 0; i < 3; i++) a[i] += k; k--; if (k > 3) goto again; printf("%d %d\\n", i, k); }
int main(void) {
  int i, j, n = 4; int a[4] = {1, 2, 3, 4}; double d[4] = {1.5, 2.5, 3.5, 4.5};
  FOR(i, n) a[i] += 5;
  printf("A %d %d\\n", i, a[3]);
  FOR(i, n) CLEAR
  printf("B %d %d\\n", i, a[3]);
  BOTH
  printf("C %d %d\\n", i, a[3]);
  OPEN a[i] += i; CLOSE
  printf("D %d %d\\n", i, a[3]);
  int *p = &g;
  for (i = 0; i < 4; i++) { g += a[i]; *p += 1; }
  printf("E %d %d\\n", i, g);
  for (i = 0; i < 4; i++) { a[i] = helper(a[i]); }
  printf("F %d %d %d\\n", i, a[2], counter);
  for (i = 0; i < 4; i++) { a[i] = pure(a[i]); }
  printf("G %d %d\\n", i, a[2]);
  int s = 0; int *q = &s;
  for (i = 0; i < 4; i++) { s += a[i]; *q = *q + 1; }
  printf("H %d\\n", s);
  for (i = 0; i < 4; i++) { if (a[i] > 100) break; s += 1; }
  printf("I %d %d\\n", i, s);
  for (i = 0; i < (int)(sizeof a / sizeof a[0]); i++) a[i] += 1;
  double *e = d;
  for (i = 0; i < 4; i++) *e++ *= 2;
  printf("K %d %d %g\\n", a[3], (int)(e - d), d[3]);
  volatile int v = 3;
  for (i = 0; i < 4; i++) d[i] += v;
  register int rr = 0;
  for (i = 0; i < 4; i++) rr += a[i];
  printf("M %g %d\\n", d[0], rr);
  for (i = 0, j = 10; i < 4; i++, j--) d[i] += j;
  printf("N %d %d %g\\n", i, j, d[3]);
  for (i = 3; i >= 0; i--) d[i] += 1;
  printf("O %d\\n", i);
  for (i = 0; i < 10; i += 3) s += i;
  printf("P %d %d\\n", i, s);
  for (i = 5; i < 3; i++) s += i;
  printf("Q %d %d\\n", i, s);
  int z;
  for (i = 0; i < n; i++) z = a[i];
  printf("R %d\\n", z);
  while (n > 2) { for (i = 0; i < n; i++) d[i] += n; n--; }
  printf("S %d %d %g\\n", i, n, d[1]);
  if (n) for (i = 0; i < 4; i++) d[i] *= 0.5; else printf("no\\n");
  do for (i = 0; i < 4; i++) d[i] += 1; while (d[0] < 20);
  printf("U %g\\n", d[0]);
  switch (n) { case 2: for (i = 0; i < 4; i++) d[i] += 7; break; default: ; }
  printf("V %d %g\\n", i, d[0]);
  { int a[3] = {7, 8, 9}; for (i = 0; i < 3; i++) a[i] += i; printf("W %d\\n", a[2]); }
  static int st; for (i = 0; i < 4; i++) st += i;
  printf("X %d %d\\n", st, last(5));
  again(a); printf("Y %d %d %s\\n", a[0], __LINE__, __FILE__);
  for (i = 0; i < 4; i++) for (j = 0; j < i; j++) s += j;
  printf("Z %d %d %d\\n", i, j, s);
  for (int t = 0; t < 2; t++) {
    int *w = t ? a + 1 : a;   // the second time the arrays overlap
    for (i = 0; i < 3; i++) w[i] = a[i] + 1;
    printf("0 %d %d %d\\n", a[1], a[2], a[3]);
  }
  unsigned char b[4] = {250, 251, 252, 253}; for (i = 0; i < 4; i++) b[i] += 5;
  printf("1 %d %d\\n", b[0], b[1]);
  for (i = 0; i < 4; i++) { int t = a[i]; a[i] = a[3 - i]; a[3 - i] = t; }
  printf("2 %d %d\\n", a[0], a[3]);
  int m = 3; for (i = 0; i < m; i++) { m = 2; s++; }
  printf("3 %d %d %d\\n", i, m, s);
  return s > 0 ? 7 : 1;
}
"""
PRODUCTS = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 6
typedef double real;
static real A[N][N], B[N][N];
real C[N][N];
static void gemm(int n, real C[n][n], real A[n][n], real B[n][n]);
/* the product
   of matrices */
static void gemm(int n, real C[n][n], real A[n][n], real B[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];
}
// the norm
double norm(int n, const real *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return sqrt(s); }
int find(int n, int *a, int v) { for (int i = 0; i < n; i++) if (a[i] == v) return i; return -1; }
int main(void) {
  int n = N, i, j, k; real (*D)[n] = malloc(sizeof(real[n][n])), x[5] = {1, 2, 3, 4, 5};
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) { A[i][j] = i + j; B[i][j] = i - 2 * j; C[i][j] = 1; } // filled
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      for (k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
  for (i = 0; i < n; i++) for (j = 0; j < n; j++) D[i][j] = 0.5 * C[i][j];
  gemm(n, D, A, B); gemm(n, D, D, B); gemm(0, D, A, B);
  real t = 0;
  for (i = 0; i < n; i++) for (j = 0; j < n; j++) t += D[i][j];
  int a[3] = {3, 4, 5};
  printf("%.9g %.9g %d %d %d\\n", t, norm(5, x), find(3, a, 5), find(3, a, 7), __LINE__);
  for (i = 0; i < N; i++) { C[i][i] = i; printf("%g ", C[i][i]); for (j = 0; j < N; j++) C[i][j] *= 2; }
  free(D);
}
"""

# Types that are as wide as others, taken and returned, and constants that are handed over.
TWINS = """#include <stdbool.h>
#include <stdio.h>
static void shift(int n, long long *a) { for (int i = 0; i < n; i++) a[i] = a[i] + 1; }
bool any(int n, const long long *a) {
  bool found = false;
  for (int i = 0; i < n; i++) if (a[i] > 9) found = true;
  return found;
}
char most(int n, const char *a) { char s = -128; for (int i = 0; i < n; i++) s = a[i] > s ? a[i] : s; return s; }
unsigned long long sum(int n, unsigned long long *a) {
  unsigned long long s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
int main(void) {
  long long b[4] = {1, 2, 3, 4}; unsigned long long u[2] = {1, 2}; char c[3] = {-3, 5, 1};
  b[0] = 7; shift(4, b); b[1] += 5; shift(4, b);
  enum { FOUR = 4 }; const int n = b[0] > 0 ? FOUR : 0; double const half = 0.5; double d[4] = {1, 2, 3, 4};
  for (int i = 0; i < n; i++) d[i] *= half;
  for (int i = 0; i < FOUR; i++) d[i] += FOUR;
  printf("%lld %lld %d %d %llu %g\\n", b[0], b[1], any(4, b), most(3, c), sum(2, u), d[3]);
  return 0;
}
"""

# Flags that steer, among others and by several of them, and one that is also an extent; errors that say where they are.
CASES = """#include <stdio.h>
#include <stdlib.h>
enum order { ROWS = 101, COLUMNS };
#define CHECK(c) do { if (!(c)) { fprintf(stderr, "%s:%d\\n", __FILE__, __LINE__); exit(2); } } while (0)
static void product(const enum order order, char trans, int n, int m, const double *A, const double *x, double *y) {
  CHECK(n > 0);
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < m; j++)
      if ((order == ROWS) == (trans == 'N')) y[i] += A[i*m + j] * x[j]; else y[i] += A[j*n + i] * x[j];
  }
}
struct plan { enum order order; int n; double *o; };
void fill(struct plan *p) {
  if (p->order == ROWS) for (int i = 0; i < p->n; i++) p->o[i] = 1; else for (int i = 0; i < p->n; i++) p->o[i] = 2*i;
}
void halves(int mode, unsigned kind, int n, double *a, double *b) {
  if (mode == 1) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i*n + j] += kind == 3 ? 1 : 2;
  else if (mode == 2) for (int i = 0; i < n; i++) for (int j = 0; j < 2*n; j++) a[i*2*n + j] *= b[j];
}
double total(int rows, int n, int m, const double *a) {
  double s = 0;
  if (rows == 1) for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i*m + j] * i;
  else for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) s += a[j*n + i] * i;
  return s;
}
int main(void) {
  double A[12], x[4] = {1, 2, 3, 4}, y[4]; int k;
  for (k = 0; k < 12; k++) A[k] = k + 1;
  for (int order = 100; order < 103; order++)
    for (char trans = 'M'; trans < 'P'; trans++) {
      product(order, trans, 3, 4, A, x, y);
      printf("%g %g %g\\n", y[0], y[1], y[2]);
    }
  for (int mode = 0; mode < 4; mode++) { halves(mode, mode + 2, 2, A, x); printf("%g %g\\n", A[1], A[3]); }
  for (int order = 101; order < 103; order++) {
    struct plan p = {order, 3, A};
    fill(&p);
    printf("%g %g\\n", A[1], A[3]);
  }
  product(ROWS, 'N', 3, 3, A, A + 1, A + 2);
  printf("%g %g %g %g\\n", A[2], A[4], total(1, 3, 4, A), total(-1, 3, 4, A));
  return 0;
}
"""


def _run(*command: str, folder: Path) -> tuple[int, str]:
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def _regions(report: Path) -> dict[str, str]:
    return {f["name"]: f["verdict"] for f in json.loads(report.read_text(encoding="utf-8"))["functions"]}


@_NEEDS_COMPILER
@pytest.mark.parametrize(
    ("text", "replaced", "stay"),
    [(TRICKY, 21, 13), (PRODUCTS, 5, 2), (TWINS, 5, 0), (CASES, 5, 4)],
    ids=["odd", "products", "twins", "cases"],
)
def test_a_program_gives_the_same_before_and_after(text: str, replaced: int, stay: int, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(text, encoding="utf-8")
    report, out = tmp_path / "r.json", tmp_path / "out.c"
    command = ["lift", str(tmp_path / "p.c"), "--in-place", "--regardless", "-o", str(out), "--json", str(report)]
    assert main(command) == bool(stay)
    verdicts = list(_regions(report).values())
    assert verdicts.count("refused") == stay
    assert len(verdicts) == replaced + stay
    assert (tmp_path / "p.c").read_text(encoding="utf-8") == text
    found = []
    for source, program in (("p.c", "before"), (str(out), "after")):
        _run("cc", "-w", "-O2", "-o", program, str(tmp_path / source), "-lopenblas", "-lm", folder=tmp_path)
        found.append(_run(f"./{program}", folder=tmp_path))
    assert found[0] == found[1]


def test_what_is_not_replaced_stays_byte_for_byte(tmp_path: Path) -> None:
    source, out = tmp_path / "p.c", tmp_path / "out.c"
    source.write_bytes(PRODUCTS.replace("norm\n", "norm \u00e4\t \n").encode("latin-1").replace(b"\n", b"\r\n"))
    main(["lift", str(source), "--in-place", "-o", str(out), "--function", "norm"])
    written = out.read_bytes()
    assert b"norm_lifted(n, (void *)x)" in written
    assert written.count(b"\n") == written.count(b"\r\n")
    before, after = source.read_bytes(), written
    start = after.index(b"\r\n// the norm \xe4\t \r\ndouble norm_original(") + 2
    assert after[start:].replace(b"norm_original(", b"norm(", 1) == before[before.index(b"// the norm") :]
    top = before.index(b"#define N")
    assert after[:top] == before[:top]
    assert before[top : before.index(b"// the norm")] in after


def test_the_file_itself_is_rewritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "scale.c"
    source.write_text("void scale(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n", encoding="utf-8")
    source.chmod(0o640)
    assert main(["lift", str(source), "--in-place"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("scale: loop-free, proved for every size, over the reals\n  requires n >= 1\n")
    text = source.read_text(encoding="utf-8")
    assert "#line" not in text
    assert text.endswith("void scale_original(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n")
    assert source.stat().st_mode & 0o777 == 0o640
    for options in ([], ["--check"], ["--diff"], ["-o", str(tmp_path / "again.c")], ["--function", "scale"]):
        assert main(["lift", str(source), "--in-place", *options]) == 0
        said = capsys.readouterr()
        assert f"{said.out}{said.err}" == f"{source}: already rewritten by tensorlift\n"
        assert source.read_text(encoding="utf-8") == text
    assert (tmp_path / "again.c").read_text(encoding="utf-8") == text
    (tmp_path / "own.c").write_text("int f_original, f_lifted;\n" + LOOP.replace("f(", "g("), encoding="utf-8")
    assert main(["lift", str(tmp_path / "own.c"), "--in-place"]) == 2
    assert "the file has programs in it already" in capsys.readouterr().err


MODULE = """func.func @f(%x: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf32>
    %b = arith.addf %a, %a : f32
    affine.store %b, %x[%i] : memref<?xf32>
  }
  return
}"""


@pytest.mark.parametrize(("name", "text"), [("p.c", "int k;\r\n" + LOOP.rstrip()), ("p.mlir", MODULE)])
def test_a_diff_is_what_changes(name: str, text: str, tmp_path: Path, capfdbinary: Any) -> None:
    source, before = tmp_path / name, text.encode()
    source.write_bytes(before)
    assert main(["lift", str(source), "--in-place", "--check"]) == 1
    assert capfdbinary.readouterr().out.endswith(b": would be rewritten\n")
    assert main(["lift", str(source), "--in-place", "--diff"]) == 0
    shown = capfdbinary.readouterr().out
    assert source.read_bytes() == before
    (tmp_path / "copy").write_bytes(before)
    (tmp_path / "diff").write_bytes(shown)
    assert main(["lift", str(source), "--in-place"]) == 0
    if shutil.which("patch"):
        _run("patch", "-s", "--binary", "copy", "diff", folder=tmp_path)
        assert (tmp_path / "copy").read_bytes() == source.read_bytes()
    assert shown.startswith(f"--- {source}\n+++ {source}\n@@ ".encode())


def test_a_file_without_anything_to_replace_stays(tmp_path: Path) -> None:
    source, out = tmp_path / "p.c", tmp_path / "out.c"
    source.write_text("int twice(int x) { return 2 * x; }\n", encoding="utf-8")
    before = source.stat()
    assert main(["lift", str(source), "--in-place"]) == 0
    assert source.stat().st_mtime_ns == before.st_mtime_ns
    assert main(["lift", str(source), "--in-place", "-o", str(out)]) == 0
    assert out.read_bytes() == source.read_bytes()


def test_the_report_tells_of_each_region(root: Path, tmp_path: Path) -> None:
    source, report = tmp_path / "p.c", tmp_path / "r.json"
    source.write_text(PRODUCTS, encoding="utf-8")
    assert (
        main(["lift", str(source), "--in-place", "--regardless", "-o", str(tmp_path / "o.c"), "--json", str(report)])
        == 1
    )
    written: Any = json.loads(report.read_text(encoding="utf-8"))
    jsonschema.validate(written, json.loads((root / "docs" / "report.schema.json").read_text(encoding="utf-8")))
    found = {f["name"]: f for f in written["functions"]}
    assert found["gemm"]["region"] is None
    part = found["main_at_22"]
    assert (part["line"], part["column"]) == (22, 3)
    assert part["region"] == {"function": "main", "end_line": 28, "end_column": 74}
    assert (part["verdict"], part["level"], part["target"]) == ("loop-free", "proved", "c")
    (reason,) = found["main_at_34"]["diagnostics"]
    assert (reason["code"], reason["line"], reason["column"]) == ("TL152", 34, 42)
    told = [(d["code"], d["severity"]) for d in written["diagnostics"]]
    assert told == [("TL309", "warning")]  # `find` lifts, and stays as it was


REFUSED = [
    (f"int apart;\n{LOOP}", "TL578", "the file has the name `apart`"),
    (f'#line 7 "x.y"\n{LOOP}', "TL578", "the file numbers its lines itself"),
    (f"int k;\n#define _GNU_SOURCE\n#include <stdio.h>\n{LOOP}", "TL578", "a macro that selects what headers declare"),
    (f'#include "nowhere.h"\n#ifdef WANTED\nint k;\n#endif\n{LOOP}', "TL102", "nowhere.h"),
]


@pytest.mark.parametrize(("text", "code", "message"), REFUSED)
def test_files_that_cannot_take_programs_are_refused(
    text: str, code: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "p.c"
    source.write_text(text, encoding="utf-8")
    assert main(["lift", str(source), "--in-place"]) == 2
    complaint = capsys.readouterr().err
    assert message in complaint
    assert f"[{code}]" in complaint
    assert source.read_text(encoding="utf-8") == text


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("typedef int f_lifted;\n" + LOOP, "", ""),
        (LOOP.replace("{ for", "{ typedef double real; real *b = a; for").replace("a[i] =", "b[i] = (real)"), "", ""),
        ("#define restrict\n#define ptrdiff_t short\n" + LOOP, "TL580", "the program f_lifted"),
        (LOOP.replace("void f", "inline void f"), "TL579", "inline for other files too"),
        (LOOP.replace("double *a", "double *a, const double b[n]").replace("a[i] = 0", "a[i] = b[i]"), "", ""),
        (LOOP.replace("double *a", "double *a, const double b[2 * n][2 * n]"), "", ""),
        (LOOP.replace("double *a", "double *restrict a, const double *restrict apart"), "", ""),
        ("#define i k\n" + LOOP.replace("i", "k").replace("vokd", "void").replace("knt", "int"), "TL580", "f_lifted"),
    ],
)
def test_names_and_macros_of_the_file_cannot_change_a_program(
    text: str, code: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "p.c", tmp_path / "out.c"
    source.write_text(text, encoding="utf-8")
    status = main(["lift", str(source), "--in-place", "-o", str(out)])
    complaint = capsys.readouterr().err
    assert status == bool(code), complaint
    assert message in complaint
    assert ("_lifted(" in out.read_text(encoding="utf-8")) == (not code)


def test_options_that_do_not_go_with_it_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "p.c"
    source.write_text(LOOP, encoding="utf-8")
    for options in (["--to", "numpy"], ["--guards"], ["--emit", "ir"], ["--std", "c89"], ["--function", "g"]):
        assert main(["lift", str(source), "--in-place", *options]) == 2
    assert main(["lift", "-", "--in-place"]) == 2
    for options in (["--diff"], ["--check"], ["--in-place", "--diff", "-o", "o.c"]):
        assert main(["lift", str(source), *options]) == 2
    assert main(["lift", str(tmp_path / "p.py"), "--in-place"]) == 2
    assert "programs are in C99, not c89" in capsys.readouterr().err
    assert source.read_text(encoding="utf-8") == LOOP


@_NEEDS_COMPILER
@pytest.mark.parametrize("seed", range(1, sampled(2, 5)))
def test_random_programs_give_the_same_before_and_after(seed: int, tmp_path: Path) -> None:
    reason, replaced = difference(seed, tmp_path)
    assert reason == ""
    assert replaced > 0


PRAGMAS = """#include <stdio.h>
#define SHARED _Pragma("omp parallel")
#pragma omp declare simd
double twice(double v) { double s = 0; for (int k = 0; k < 2; k++) s += v; return s; }
void scale(int n, double *x) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < n; i++) x[i] *= 2;
}
void half(int n, double *x, double *y) {
  for (int i = 0; i < n; i++) x[i] += 1;
#pragma omp target
  for (int i = 0; i < n; i++) y[i] += 1;
}
void hidden(int n, double *x) {
  SHARED
  { for (int i = 0; i < n; i++) x[i] = 1; }
}
void marked(int n, double *x) {
#pragma scop
  for (int i = 0; i < n; i++) x[i] += 1;
#pragma endscop
}
int main(void) {
  double x[6], s = 0, t = 7, u; int i, threads = 2;
  puts("start");
  #pragma omp parallel for \\
    num_threads(threads) private(i)
  for (i = 0; i < 6; i++) x[i] = i;
  puts("then");
  if (threads)
    #pragma omp parallel for private(u) reduction(+:s)
    for (int k = 0; k < 6; k++) { u = x[k]; s += u * u; }
  puts("last");
  #pragma omp parallel for private(t)
  for (int k = 0; k < 6; k++) { t = x[k]; for (int j = 0; j < 3; j++) x[k] += t; }
  scale(6, x);
  printf("%g %g %g %g\\n", s, t < 8 ? x[5] : 0, x[1], twice(2));
  return 0;
}
"""


@_NEEDS_COMPILER
def test_loops_with_pragmas_of_openmp_are_replaced_or_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "p.c"
    source.write_text(PRAGMAS, encoding="utf-8")
    assert main(["lift", str(source), "--in-place", "--regardless", "-o", str(tmp_path / "out.c")]) == 1
    output = capsys.readouterr()
    told = {line.partition(": ")[0] for line in output.err.splitlines() if "TL575" in line and ": error:" in line}
    assert told == {f"{source}:{place}" for place in ("9:6", "14:6", "35:3")}
    text = (tmp_path / "out.c").read_text(encoding="utf-8")
    lifted = [name for name in ("scale", "main_at_28", "main_at_32", "marked_at_20") if f" {name}_lifted(" in text]
    assert lifted == ["scale", "main_at_28", "main_at_32"]
    results = set()
    for file in ("p.c", "out.c"):
        for flags in (["-fopenmp"], []):
            warned = _run(
                "cc",
                "-Wall",
                "-Wno-unknown-pragmas",
                "-Wno-unused-variable",
                *flags,
                "-o",
                "p",
                file,
                "-lm",
                folder=tmp_path,
            )
            assert warned == (0, "")
            results.add(_run("./p", folder=tmp_path))
    assert len(results) == 1
