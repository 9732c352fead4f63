"""What the literal reader says of C++: the text of modules, what runs as compiled, and what is refused."""

from __future__ import annotations

import shutil
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.literal import CPP_CORPORA, files, read, run
from tests.shared import is_exhaustive
from xdsl.printer import Printer

from tensorlift.diagnostics import LiftError
from tensorlift.frontends.cpp.reader import parse_cpp
from tensorlift.readers.clang.cpp import literal_cpp_module

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

CASES = sorted((Path(__file__).parent / "literal").glob("*.cpp"))
CONSTRUCTS = Path(__file__).parent / "constructs.cpp"
_MARK = "\n// MLIR\n"
_EVERY = 1 if is_exhaustive() else 8  # files of the corpora
_REFUSED = {"by_copy", "keep_positive", "sort_values", "sum_between", "triangle_rows"}


def _module(text: str, name: str = "") -> ModuleOp:
    file = parse_cpp(text, "f.cpp")
    return literal_cpp_module(file, next(one for one in reversed(file.found) if name in {"", one.name}))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_module_says_what_the_source_says(path: Path, update: bool) -> None:  # noqa: FBT001 - a fixture
    source, _, expected = path.read_text(encoding="utf-8").partition(_MARK)
    module, stream = _module(source + "\n"), StringIO()
    module.verify()
    Printer(stream).print_op(module)
    found = "".join(f"// {line[2:]}\n" for line in stream.getvalue().splitlines()[1:-1])
    if update:
        path.write_text(f"{source.rstrip()}\n{_MARK}{found}", encoding="utf-8")
    else:
        assert found == expected


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler named c++ on the search path")
def test_functions_run_as_compiled() -> None:
    subjects = read([CONSTRUCTS, *files(CPP_CORPORA, ".cpp")[::_EVERY]]).subjects
    run(subjects)
    assert {s.function.name: s.result for s in subjects if s.result not in {"equal", ""}} == {}
    assert {s.function.name for s in subjects if not s.ran} - _REFUSED == set()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(
            "struct S { double *p; ~S() { p[0] = 7; } }; void f(double *x) { S s = {x}; s.p[1] = 2; }",
            "has a destructor",
            id="destructor",
        ),
        pytest.param(
            "template <class T> struct B { T n; }; template <class T> struct S : B<T> { int k; };"
            " int f() { S<int> s; s.k = 2; return s.k; }",
            "has a base class",
            id="base class",
        ),
        pytest.param(
            "struct S { int n; S(const S &o) : n(o.n + 1) {} }; int f(S s) { return s.n; }",
            "has a copy constructor",
            id="copy constructor",
        ),
        pytest.param(
            "#include <algorithm>\ndouble f(double a, double b) { const double &m = std::max(a, b); a = 9; return m; }",
            "refers to no variable",
            id="reference to the larger",
        ),
        pytest.param(
            "static int g(int n) { return n > 0 ? g(n - 1) : 0; } int f(int n) { return g(n); }",
            "calls itself",
            id="recursion",
        ),
        pytest.param(
            "#include <vector>\nvoid f(std::vector<int> &v) { v.push_back(3); }", "belongs to the caller", id="growth"
        ),
        pytest.param("int f(int n) { if (int k = n) return k; return 2; }", "declares a variable", id="if"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, why: str) -> None:
    with pytest.raises(LiftError) as caught:
        _module(text, "f")
    assert why in caught.value.diagnostics[0].message


def test_two_vectors_that_live_at_a_time_are_apart() -> None:
    text = (
        "#include <vector>\nstd::vector<int> f(int n) {"
        " std::vector<int> a(3, n), b(3, -n); a[0] += b[0]; if (n > 2) return b; return a; }"
    )
    made = [op for op in _module(text).walk() if op.name == "memref.alloc"]
    assert [op.results[0].name_hint for op in made] == ["a", "b"]
