"""``tensorlift build``: a program is relinked to the library, unchanged, and finds its symbols and its results."""

from __future__ import annotations

import ctypes.util
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.commands.measured import Ratio, ratio_of
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c.extents import extents_of
from tensorlift.pipeline import LiftOptions
from tensorlift.runtime.compilers import Project, build_library, renamed
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

HEADER = """#define SCALE 2.0
typedef double real;
void gemm(int n, double C[n][n], double A[n][n], double B[n][n]);
void axpy(int n, real a, const real *x, real *y);
void both(int n, double C[n][n], double A[n][n], double B[n][n]);
int counted(int x);
"""
SOURCE = """#include "kernels.h"
#include <stdio.h>
static int twice(int x) { return 2 * x; }
int counted(int x) { printf("counted\\n"); return twice(x) + 1; }
/* the product { of two matrices */
void gemm(int n, double C[n][n], double A[n][n], double B[n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];
}
void axpy(int n, real a, const real *x, real *y) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
void both(int n, double C[n][n], double A[n][n], double B[n][n]) {
  gemm(n, C, A, B);
  axpy(n * n, SCALE, &A[0][0], &C[0][0]);
}
"""
PROGRAM = """#include "kernels.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int n = 7;
  double (*A)[n] = malloc(sizeof(double[n][n])), (*B)[n] = malloc(sizeof(double[n][n])), (*C)[n] = calloc(n * n, 8);
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { A[i][j] = i + 2 * j; B[i][j] = i - j; }
  gemm(n, C, A, B);
  both(n, C, A, B);
  axpy(n * n - 1, 0.5, &C[0][0], &C[0][0] + 1);
  gemm(0, C, A, B);
  gemm(n, C, C, B);
  double sum = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) sum = 0.5 * sum + C[i][j];
  printf("%d %.9g\\n", counted(3), sum);
  return 0;
}
"""
_NEEDS_BLAS = pytest.mark.skipif(ctypes.util.find_library("openblas") is None, reason="OpenBLAS is not installed")
_NEEDS_COMPILER = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def _run(*command: str, folder: Path, libraries: Path | None = None) -> str:
    environment = os.environ | ({"LD_LIBRARY_PATH": str(libraries)} if libraries else {})
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def _symbols(library: Path) -> set[str]:
    listed = _run("nm", "-D", "--defined-only", str(library), folder=library.parent)
    return {line.split()[-1] for line in listed.splitlines()}


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    for name, text in (("kernels.h", HEADER), ("kernels.c", SOURCE), ("program.c", PROGRAM)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@_NEEDS_BLAS
@_NEEDS_COMPILER
def test_an_unchanged_program_gives_the_same_with_the_library(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    original, lifted = folder / "original", folder / "lifted"
    original.mkdir()
    lifted.mkdir()
    _run("cc", "-shared", "-fPIC", "-o", "original/libk.so", "kernels.c", folder=folder)
    status = main(
        ["build", str(folder / "kernels.c"), "-o", str(lifted / "libk.so"), "--programs", str(folder / "p.c")]
    )
    output = capsys.readouterr()
    assert status == 1  # two functions stay as they were
    assert output.out == (
        "twice: as it was\ncounted: as it was\n"
        "gemm: lifted, proved for every size\naxpy: lifted, proved for every size\n"
        "both: lifted, program proved for every size, definitions tested\n"
    )
    assert "`printf` is input or output" in output.err
    assert "cblas_dgemm(" in (folder / "p.c").read_text()
    assert _symbols(lifted / "libk.so") == _symbols(original / "libk.so") == {"axpy", "both", "counted", "gemm"}
    _run("cc", "-o", "program", "program.c", "-Loriginal", "-lk", folder=folder)
    expected = _run("./program", folder=folder, libraries=original)
    assert expected.startswith("counted\n7 ")
    assert _run("./program", folder=folder, libraries=lifted) == expected


@_NEEDS_COMPILER
def test_a_library_of_loops_needs_no_blas(folder: Path) -> None:
    source = folder / "loops.c"
    source.write_text("void twice(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] *= 2; }\n", encoding="utf-8")
    assert main(["build", str(source), "-o", str(folder / "libloops.so")]) == 0
    library, values = ctypes.CDLL(str(folder / "libloops.so")), (ctypes.c_float * 3)(1, 2, 3)
    library.twice(3, values)
    assert list(values) == [2, 4, 6]


@_NEEDS_COMPILER
def test_functions_of_one_file_and_static_ones_are_kept_apart(folder: Path) -> None:
    source = folder / "static.c"
    source.write_text(
        "static void one(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] = 1; }\n"
        "void ones(int n, double x[n]) { one(n, x); }\n",
        encoding="utf-8",
    )
    assert main(["build", str(source), "-o", str(folder / "libone.so")]) == 1
    assert _symbols(folder / "libone.so") == {"ones"}


def test_only_functions_that_others_call_by_their_name_are_replaced() -> None:
    text = """#define LOCAL static
#define INLINE static inline
#define WEAK __attribute__((weak))
#define API __attribute__((visibility("default")))
static void a(void);
void b(void) __asm__("other");
void c(void) __attribute__((visibility("hidden")));
API void d(void);
void a(void) {} void b(void) {} void c(void) {} void d(void) {}
LOCAL void e(void) {} INLINE void f(void) {} WEAK void g(void) {} inline void h(void) {}
extern void i(void) {} __attribute__((noinline, cold)) void j(void) {}
__attribute__((constructor)) void k(void) {} __attribute__((section("x"))) void l(void) {} API void m(void) {}
void o(x) float x; {}
void p() {}
"""
    for flag, unseen in (("default", set()), ("hidden", {"i", "j", "p"})):
        extents, hidden = extents_of(text, "p.c", [f"-fvisibility={flag}"])
        assert list(extents) == ["d", "i", "j", "p"]
        assert hidden == unseen
    head = "#if 1\n__attribute__((cold))\n#endif\nvoid "
    changed = renamed(f"{head}f(int n) {{}}\n", "p.c", ["f"], extents_of(f"{head}f(int n) {{}}\n", "p.c", ())[0])
    assert changed == f'#line 1 "p.c"\n{head}f_original(int n) {{}}\nextern __typeof__(f_original) f;\n'


def test_a_missing_blas_has_a_remedy_of_one_line() -> None:
    program = "#include <cblas.h>\n#error cblas.h: No such file\n"
    with pytest.raises(LiftError) as caught:
        build_library("", [program], [])
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.remedy) == ("TL641", "install it: apt install libopenblas-dev")


def test_what_is_not_lifted_is_compiled_with_the_flags_that_are_given(tmp_path: Path) -> None:
    """The text of the file is that of its users: only programs have integers that wrap."""
    text = "#ifdef __FAST_MATH__\n#ifdef OWN\nint fast(void) { return 1; }\n#endif\n#endif\n"
    library = tmp_path / "l.so"
    library.write_bytes(build_library(text, [], [], Project(flags=("-O1", "-ffast-math", "-DOWN"))))
    assert ctypes.CDLL(str(library)).fast() == 1
    wraps = "int wraps(int a) { return a + 1 > a; }\n"
    library = tmp_path / "w.so"
    library.write_bytes(build_library(wraps, [], []))
    assert ctypes.CDLL(str(library)).wraps(2**31 - 1) == 1, "the compiler may take it that integers do not overflow"


@_NEEDS_COMPILER
def test_what_is_not_lifted_is_compiled_as_its_project_does(tmp_path: Path) -> None:
    """All flags of its command count, in its folder, at linking too; what the command line says comes after them."""
    text = """#include "own.h"
#include <stdio.h>
int omp_in_parallel(void);
#if defined GONE || OWN != 3 || !defined LATE || !defined __clang__ && !(defined __FAST_MATH__ && defined __OPTIMIZE__)
#error flags
#endif
int threads(void) { int n = 0; puts("");
#pragma omp parallel num_threads(2) reduction(+: n)
  n += omp_in_parallel() * OWN_H * STDIO_H;
  return n; }
void twice(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 2; }
"""
    for name, content in (
        ("src/f.c", text),
        ("src/own.h", "#define OWN_H 1\n"),
        ("src/stdio.h", "#error the system's\n"),
        ("build/first.h", "#define STDIO_H 1\n"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    command = (
        "no-such-cc -O1 -ffast-math -fopenmp -DGONE -UGONE -DOWN=2 -include first.h -Werror -MD -c ../src/f.c -o f.o"
    )
    entry = {"directory": "build", "file": "../src/f.c", "command": command}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    library = tmp_path / "l.so"
    asked = ["build", str(tmp_path / "src/f.c"), "-p", str(tmp_path), "-o", str(library)]
    assert main([*asked, "-DOWN=3", "-DLATE"]) == 1
    assert ctypes.CDLL(str(library)).threads() == 2
    assert sorted(file.name for file in (tmp_path / "build").iterdir()) == ["first.h"]


@_NEEDS_COMPILER
def test_a_function_stays_whose_macros_are_others_when_it_is_compiled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parser knows no flags of compilers that define macros."""
    source, library = tmp_path / "f.c", tmp_path / "f.so"
    source.write_text("""#ifdef __FAST_MATH__
#define AT(i) ((i) + 1)
#else
#define AT(i) (i)
#endif
void f(int n, double *x, const double *y) { for (int i = 0; i < n; i++) x[i] = 1 / y[AT(i)]; }
void g(int n, double *x, const double *y) { for (int i = 0; i < n; i++) x[i] = 1 / y[i]; }
""")
    asked = ["build", "--regardless", str(source), "-o", str(library)]
    assert main(asked) == 0
    assert main([*asked, "--cflags", "-O1 -ffast-math"]) == 1
    output = capsys.readouterr()
    assert output.out.endswith("f: as it was\ng: lifted, proved for every size\n")
    assert 'static assertion failed: "lift again: AT is another" [TL588]' in output.err


MEASURED = """void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 2; }
void g(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 3; }
void h(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 4; }
"""


@_NEEDS_COMPILER
def test_with_measured_a_program_stays_only_where_it_is_quicker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"f": [1.0, 2.0], "g": [2.0, 0.9], "h": [1.0, 1.0]}

    def ratio_of(source: object, options: LiftOptions, *rest: object, **conditions: object) -> Ratio:
        del source, rest
        assert conditions["threads"] == 1
        return Ratio(*[found[options.functions[0]].pop(0)] * 2)

    monkeypatch.setattr("tensorlift.commands.measured.ratio_of", ratio_of)
    source, library, programs = (tmp_path / name for name in ("f.c", "f.so", "p.c"))
    source.write_text(MEASURED)
    assert main(["build", "--measured", str(source), "-o", str(library), "--programs", str(programs)]) == 1
    output = capsys.readouterr()
    faster = "times as fast with arrays of 64 KB and 4 MB"
    lifted = f"f: lifted, proved for every size, 1.00 and 2.00 {faster}"
    assert output.out.splitlines() == [lifted, "g: as it was", "h: as it was"]
    assert f"the program of `g` is left out: it is 2.00 and 0.90 {faster} [TL588]" in output.err
    assert "if (n > 65536\n" in programs.read_text()
    assert "on_threads" not in programs.read_text()


@_NEEDS_COMPILER
def test_two_libraries_of_one_file_are_measured_on_the_same_inputs(tmp_path: Path) -> None:
    library, options = tmp_path / "f.so", LiftOptions(("f",), "c")
    library.write_bytes(build_library(MEASURED, (), ()))
    source = source_from_text(MEASURED, str(tmp_path / "f.c"))
    found = ratio_of(source, options, (library, library), 1 << 10, threads=1, seconds=0.02)
    assert 0 < found.bound <= found.median


@_NEEDS_COMPILER
def test_a_program_that_does_not_compile_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler, source, library = tmp_path / "gcc", tmp_path / "f.c", tmp_path / "f.so"
    compiler.write_text(f"""#!/bin/sh
for one; do case "$one" in
  *programs.c) grep -q g_lifted "$one" && {{ echo "x.c:1:1: error: no g" >&2; exit 1; }};;
esac; done
exec {shutil.which("cc")} "$@"
""")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    loop = "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 2; }\n"
    source.write_text(loop + loop.replace("f(", "g("))
    assert main(["build", str(source), "-o", str(library)]) == 1
    output = capsys.readouterr()
    assert output.out == "f: lifted, proved for every size\ng: as it was\n"
    assert "`g` is left out: the library does not compile: x.c:1:1: error: no g [TL588]" in output.err
    assert _symbols(library) == {"f", "g"}


def test_what_does_not_compile_is_said() -> None:
    with pytest.raises(LiftError, match=r"does not compile: .*error"):
        build_library("int x = y;\n", [], [])


@_NEEDS_COMPILER
@pytest.mark.parametrize(("output", "reason"), [("away/lib.so", "its directory does not exist"), ("", "a directory")])
def test_a_library_that_cannot_be_written_is_said(
    tmp_path: Path, output: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fill.c"
    path.write_text("void fill(int n, int *x) { for (int i = 0; i < n; i++) x[i] = 1; }\n", encoding="utf-8")
    assert main(["build", str(path), "-o", str(tmp_path / output)]) == 2
    assert reason in capsys.readouterr().err


def test_a_file_in_another_language_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scale.py"
    path.write_text("def scale(n: int, a):\n    for i in range(n):\n        a[i] = a[i] * 2.0\n", encoding="utf-8")
    assert main(["build", str(path), "-o", str(tmp_path / "out.so")]) == 2
    assert "is no file in C" in capsys.readouterr().err


def test_a_file_with_a_routine_of_blas_of_its_own_calls_that_of_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, library = tmp_path / "x.c", tmp_path / "x.so"
    source.write_text("""double cblas_ddot(int n, const double *x, int a, const double *y, int b) { return 7; }
double f(int n, const double *x, const double *y) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}
""")
    main(["build", str(source), "--regardless", "-o", str(library)])
    assert "`f` is left out: it calls `cblas_ddot` of BLAS, and the file has one of its own" in capsys.readouterr().err
    function, row = ctypes.CDLL(str(library)).f, (ctypes.c_double * 3)(1, 2, 3)
    function.restype = ctypes.c_double
    assert function(3, row, row) == 14
