"""``tensorlift lift --in-place``: what it writes compiles wherever the file did, with no warnings of its own."""

from __future__ import annotations

import ctypes.util
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.runtime.compilers import Project, complaints
from tensorlift.runtime.original import CompileOptions

if TYPE_CHECKING:
    from pathlib import Path

_NEEDS_COMPILER = pytest.mark.skipif(
    shutil.which("cc") is None or ctypes.util.find_library("openblas") is None,
    reason="there is no C compiler, or no OpenBLAS",
)

LOOP = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n"


def _run(*command: str, folder: Path) -> tuple[int, str]:
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def _rewritten(text: str, folder: Path, *options: str, status: int) -> str:
    """Rewrite a file to `out.c` beside it, and give that."""
    source, out = folder / "p.c", folder / "out.c"
    source.write_text(text, encoding="utf-8")
    assert main(["lift", str(source), "--in-place", *options, "-o", str(out)]) == status
    return out.read_text(encoding="utf-8")


# What may stand before a function, and what macros may be: each text compiles to the same with two compilers.
BEFORE = """#include <float.h>
#include <assert.h>
#include <math.h>
#define API __attribute__((visibility("default")))
#define MAKE(t) static inline t one_##t(t x) { return x; }
#if 1
#define BIG FLT_MAX
#define TOP (INFINITY)
#endif
#if defined __GNUC__
__attribute__((noinline))
#endif
void a(int n, float *x) { for (int i = 0; i < n; i++) x[i] = x[i] > 2 ? BIG : FLT_TRUE_MIN; }
MAKE(int)
#define K BIG
/* of b; */
#if defined __GNUC__ && !defined __clang__
__attribute__((optimize("O2")))
#else
__attribute__((cold))
#endif
// b
API void b(int n, double *x);
void b(int n, double *x) { for (int i = 0; i < n; i++) { assert(n < 9); x[i] = x[i] > K ? TOP : one_int(2); } }
#ifdef OTHER
void c(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }
#elif 1
#if !defined __clang__
__attribute__((hot)) static
#else
static
#endif
void c(int n, double *x) { for (int i = 0; i < n; i++) x[i] = TOP; }
#endif
__attribute__((weak)) void d(int n, double *x) { c(n, x); for (int i = 0; i < n; i++) x[i] = TOP; }
inline void e(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }
"""
NOWHERE = """#include "nowhere.h"
#include <stdio.h>
void uses(int n, nowhere *x) { for (int i = 0; i < n; i++) x[i] = 1; }
void plain(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; puts(""); for (int i = 0; i < n; i++) x[i] += n; }
"""


@_NEEDS_COMPILER
def test_programs_stand_before_all_that_belongs_to_a_function(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = _rewritten(BEFORE, tmp_path, status=1)
    made = [name for name in ("a", "b", "c", "d", "d_at_35", "e", "e_at_36") if f" {name}_lifted(" in text]
    assert made == ["a", "b", "c", "d_at_35"]
    errors = [line for line in capsys.readouterr().err.splitlines() if ": error: " in line]
    assert [line[-7:] for line in errors] == ["[TL579]"]
    for compiler in filter(shutil.which, ("cc", "clang")):
        for flags in (["-Wall", "-pedantic"], ["-Wall", "-fopenmp"]):
            assert _run(compiler, "-c", "-O1", *flags, "out.c", folder=tmp_path) == (0, "")


def test_a_header_that_is_nowhere_keeps_the_functions_that_need_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = _rewritten(NOWHERE, tmp_path, status=1)
    made = [name for name in ("uses", "plain", "plain_at_4", "plain_at_4_2") if f" {name}_lifted(" in text]
    assert made == ["plain_at_4", "plain_at_4_2"]
    found = [line.split(": ")[1:] for line in capsys.readouterr().err.splitlines() if "[TL10" in line]
    assert [(level, message[:17]) for level, message, *_ in found] == [
        ("error", "the source does n"),
        ("warning", "'nowhere.h' file "),
    ]


SIZED = """#include <stdio.h>
#ifndef N
#define N 5
#endif
#define HALF (N / 2)
#define REAL double
#define FIXED 3
static REAL twice(REAL x) { return HALF * x; }
void f(REAL *a) { for (int i = 0; i < N; i++) a[i] = twice(i); FIXED; }
int main(void) { REAL a[99]; f(a); printf("%g\\n", a[4]); for (int i = 0; i < 3; i++) a[i] = FIXED; return a[2] != 3; }
"""


@_NEEDS_COMPILER
def test_a_program_does_not_compile_with_other_macros(tmp_path: Path) -> None:
    text = _rewritten(SIZED, tmp_path, "--regardless", status=0)
    stated = [line.partition(";")[0] for line in text.splitlines() if "_Static_assert(" in line]
    assert [line.split(" == ")[0] for line in stated] == [
        '__extension__ _Static_assert(__builtin_strcmp(TENSORLIFT_TEXT(HALF), "(5 / 2)")',
        '__extension__ _Static_assert(__builtin_strcmp(TENSORLIFT_TEXT(N), "5")',
    ]
    assert _run("cc", "-o", "p", "out.c", "-DN=5", folder=tmp_path) == (0, "")
    assert _run("./p", folder=tmp_path) == (0, "8\n")
    other = subprocess.run(
        ["cc", "out.c", "-DN=6"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (other.returncode, "lift again: N is another" in other.stderr) == (1, True)


@_NEEDS_COMPILER
def test_a_compiler_that_does_not_take_a_program_keeps_the_function(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "gcc"
    compiler.write_text(f"""#!/bin/sh
for last; do :; done
grep -q g_lifted "$last" && {{ echo "$last:1:1: error: no g here" >&2; exit 1; }}
exec {shutil.which("cc")} "$@"
""")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    written = _rewritten(LOOP + LOOP.replace("void f", "void g"), tmp_path, status=1)
    assert "f_lifted(" in written
    assert "g_lifted(" not in written
    assert "the program is left out: gcc says: no g here [TL588]" in capsys.readouterr().err


@_NEEDS_COMPILER
def test_what_compilers_say_of_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#define K 3\n", encoding="utf-8")

    def said(text: str, *flags: str, define: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        project = Project.of(str(tmp_path / "p.c"), CompileOptions(define=define), flags, "cc")
        return [(one.option, one.message) for one in complaints(text, project) if one.compiler == shutil.which("cc")]

    assert not said('#include "own.h"\nint f(void) { return K; }\n')
    (error,) = said("int f(void) { return K; }\n")
    assert (error[0], "undeclared" in error[1]) == ("", True)
    assert not said("int f(void) { return K; }\n", define=("K=1",))
    assert not said('#include "none.h"\nint f(void) { return K; }\n')  # it has not seen the whole
    unused = "static int f_original(void) { int k; return 1; }\nint g(void) { return f_original(); }\n"
    assert [option for option, _ in said(unused, "-Wall")] == ["unused-variable"]
    assert [option for option, _ in said(unused, "-Wall", "-Werror", "-fdiagnostics-color=always")] == [
        "unused-variable"
    ]
    assert [option for option, _ in said(unused, "-Werror=unused-variable")] == ["unused-variable"]


UNUSED = """#include <assert.h>
void f(int n, int m, double *x) { for (int i = 0; i < n; i++) { assert(m > 3); x[i] = 1; } }
"""


@_NEEDS_COMPILER
def test_warnings_that_come_with_programs_are_turned_off_for_their_functions(tmp_path: Path) -> None:
    """The compiler and the flags are those of the file's command."""
    command = "cc -std=c11 -Wall -Wextra -Werror -Wmissing-prototypes -c p.c"
    (tmp_path / "compile_commands.json").write_text(json.dumps([{"file": "p.c", "command": command}]))
    (tmp_path / "p.h").write_text("void f(int n, int m, double *x);\n", encoding="utf-8")
    (tmp_path / "p.c").write_text(f'#include "p.h"\n{UNUSED}', encoding="utf-8")
    assert main(["lift", str(tmp_path / "p.c"), "--in-place", "-p", str(tmp_path)]) == 0
    text = (tmp_path / "p.c").read_text(encoding="utf-8")
    ignored = [line.split()[-1] for line in text.splitlines() if line.startswith("#pragma GCC diagnostic ignored")]
    assert ignored == ['"-Wpragmas"', '"-Wunknown-warning-option"', '"-Wunused-parameter"']
    assert _run(*command.split(), folder=tmp_path) == (0, "")


REPEATED = """#include <stdarg.h>
#include <stdio.h>
void tell(const char *format, ...) {
  va_list args; va_start(args, format); vprintf(format, args); va_end(args); }
void each(int steps, int n, double *a) { int i, k; for (k = 0; k < steps; k++) {
  for (i = 0; i < n; i++) a[i] *= 2;
  tell(""); } }
void once(int n, double *a) { int i;
  for (i = 0; i < n; i++) a[i] *= 2;
  tell(""); }
"""


@_NEEDS_COMPILER
def test_a_loop_that_a_kept_one_repeats_is_replaced_for_more_than_its_threads_and_nothing_is_left_to_warn_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {"directory": str(tmp_path), "file": "p.c", "arguments": ["cc", "-c", "p.c"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    commands = str(tmp_path / "compile_commands.json")
    text = _rewritten(REPEATED, tmp_path, "-p", commands, status=1)
    assert "once_at_9_2_lifted(" in text
    assert "each_at_6_2_lifted(" not in text
    assert "each_at_6_2: refused [TL316]" in capsys.readouterr().out
    assert text.count("diagnostic push") == 1
    assert _run("cc", "-O2", "-Wall", "-Werror", "-c", "out.c", folder=tmp_path) == (0, "")
