"""Headers that are not bundled are the compiler's own; what those define in another way means the same."""

from __future__ import annotations

import shutil

import pytest

from tensorlift.commands.in_place import rewrite_c
from tensorlift.diagnostics import Severity
from tensorlift.frontends.c import libclang
from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

C17 = """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype"""
POSIX = """aio arpa/inet dirent dlfcn fcntl fnmatch ftw getopt glob grp iconv langinfo libgen net/if netdb netinet/in
poll pthread pwd regex sched semaphore spawn strings sys/ipc sys/mman sys/resource sys/select sys/shm sys/socket
sys/stat sys/time sys/types sys/uio sys/un sys/utsname sys/wait syslog termios unistd utime wordexp"""
KERNELS = """
void scale(int n, float *x, float s) { for (int i = 0; i < n; i++) x[i] *= s; }
float peak(int n, const float *x) {
  assert(n > 0);
  float m = -FLT_MAX;
  for (int i = 0; i < n; i++)
    m = fabsf(x[i]) > m ? fabsf(x[i]) : m;
  return m;
}
void cut(int n, float *x) {
  for (int i = 0; i < n; i++)
    x[i] = isinf(x[i]) ? NAN : x[i] < 0 ? -INFINITY : x[i];
}
double dot(int n, const double *x, const double *y) { return sqrt(cblas_ddot(n, x, 1, y, 1)) * M_PI; }
"""
ROUNDED = "void f(int n, const double *x, long *y) { for (int i = 0; i < n; i++) y[i] = lrint(x[i]); }"
INTRINSICS = """#include <immintrin.h>
void vectors(float *x) { _mm_storeu_ps(x, _mm_setzero_ps()); }
int swapped(int x) { return _bswap(x); }
"""
PASTED = """#include <immintrin.h>
#define INTRINSIC(name) _mm_##name
void stored(float *x) { INTRINSIC(storeu_ps)(x, INTRINSIC(setzero_ps)()); }
"""


@pytest.fixture(autouse=True)
def system() -> None:
    if not libclang.system_directories("c"):
        pytest.skip("there is no C compiler to ask for its headers")


def _including(names: str) -> str:
    return "".join(f"#include <{name}.h>\n" for name in names.split())


def test_every_header_of_c_and_posix_is_read() -> None:
    names = (
        f"{C17} {POSIX}" if shutil.which("clang") else f"{C17} {POSIX}".replace("tgmath ", "")
    )  # the system's is GCC's
    text = _including(names) + "void scale(int n, float *x, float s) { for (int i = 0; i < n; i++) x[i] *= s; }\n"
    (function,) = read_c(text, "k.c")
    assert function.module is not None
    assert not function.diagnostics


def test_what_the_systems_headers_define_means_what_the_bundled_ones_say() -> None:
    text = _including("assert float math cblas") + KERNELS
    bundled, system = (
        {f.name: f for f in lift_source(source_from_text(one, "k.c"), LiftOptions()).functions}
        for one in (text, _including("pthread") + text)
    )
    assert system.keys() == bundled.keys()
    for name, function in system.items():
        assert function.lifted
        assert [p.text for p in function.preconditions] == [p.text for p in bundled[name].preconditions]
        assert name == "cut" or function.program == bundled[name].program  # its `isinf` is another builtin


def test_a_file_with_headers_of_the_system_is_rewritten_in_place() -> None:
    text = _including("pthread assert float math") + KERNELS.split("double dot", maxsplit=1)[0]
    record, written = rewrite_c(source_from_text(text, "k.c"), LiftOptions(target="c", test=True))
    assert [f.verdict.value for f in record.functions] == ["loop-free"] * 3
    assert b"peak_original" in written


def test_a_directory_of_the_system_that_is_named_keeps_its_place() -> None:
    text = _including("assert float math stdio cblas") + KERNELS
    found = read_c(text, "k.c", include_dirs=libclang.system_directories("c"))
    assert [str(f.module) for f in found] == [str(f.module) for f in read_c(text, "k.c")]


def test_intrinsics_refuse_the_functions_that_use_them() -> None:
    found = {
        function.name: function
        for function in read_c(INTRINSICS + _including("assert float math cblas") + KERNELS, "k.c")
    }
    assert {name for name, function in found.items() if function.module is None} <= {"vectors", "swapped"}
    assert found["vectors"].module is None
    assert not found["scale"].diagnostics


def test_intrinsics_refuse_the_functions_that_have_their_names_from_macros() -> None:
    found = read_c(PASTED + KERNELS[: KERNELS.index("float peak")], "k.c")
    assert [function.name for function in found if function.module is None] == ["stored"]


def test_a_header_that_is_nowhere_refuses_the_functions_that_need_it() -> None:
    text = '#include <pthread.h>\n#include "nowhere.h"\n' + _including("math float assert cblas")
    text += "void waits(nowhere_t *t, float *x) { x[0] = 1; }\nvoid asks(float *x) { x[0] = nowhere_now(); }\n"
    found = {function.name: function for function in read_c(text + KERNELS, "k.c")}
    assert [d.message for d in found["waits"].diagnostics] == [
        "the source does not parse: unknown type name 'nowhere_t'"
    ]
    assert "nowhere_now" in found["asks"].diagnostics[0].message
    (warning,) = found["peak"].diagnostics
    assert (warning.code, warning.severity) == ("TL102", Severity.WARNING)
    assert found["peak"].module is not None


def test_without_a_compiler_headers_that_are_not_bundled_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libclang, "system_directories", lambda _: ())
    libclang.is_system.cache_clear()
    found = {
        function.name: function
        for function in read_c(INTRINSICS + _including("assert float math cblas pthread") + KERNELS, "k.c")
    }
    libclang.is_system.cache_clear()
    assert {name for name, function in found.items() if function.module is None} == {"vectors", "swapped"}
    assert [d.code for d in found["scale"].diagnostics] == ["TL102", "TL102"]


@pytest.mark.parametrize(("name", "headers"), [("f.c", "math.h stdio.h"), ("f.cpp", "cmath cstdio")])
def test_rounding_to_an_integer_is_rounding_and_a_conversion(name: str, headers: str) -> None:
    text = "".join(f"#include <{header}>\n" for header in headers.split()) + "char line[BUFSIZ];\n" + ROUNDED
    (function,) = lift_source(source_from_text(text, name), LiftOptions()).functions
    assert function.lifted
    assert "np.rint(x).astype(np.int64)" in function.program
