"""The C++ programs reach the verdicts that their first lines state, but for known gaps, and equal their originals."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.shared import has_turn

from tensorlift import frontends
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import read_source, source_from_text

FOLDER = Path(__file__).parents[2] / "bench" / "cpp_programs"
HEADERS = Path(frontends.__file__).parent / "c" / "include"
PROGRAMS = sorted(FOLDER.glob("*.cpp"))
VERDICTS = ("refused", "hybrid", "scan", "loop-free")  # each better than the one before
GAPS = {"convolve_full": "hybrid"}
COMPILER = shutil.which("c++")


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program_reaches_its_verdict_and_equals_its_original(path: Path) -> None:
    runs = COMPILER is not None and has_turn(path.stem, 0, 3)
    (function,) = lift_source(read_source(str(path)), LiftOptions((path.stem,), test=runs)).functions
    expected = path.read_text().splitlines()[0].removeprefix("// expect: ")
    least = GAPS.get(path.stem, expected)
    assert VERDICTS.index(function.verdict) >= VERDICTS.index(least), function.diagnostics
    assert all(trial.passed for trial in function.tests)
    if function.lifted:
        assert str(function.level) == "proved"
        assert len(function.tests) == 1 + runs


def test_at_least_fifty_lift() -> None:
    refused = [path for path in PROGRAMS if path.read_text().startswith("// expect: refused")]
    assert len(PROGRAMS) - len(refused) - len(GAPS) >= 50


def test_a_diagonal_claims_no_element_behind_its_last() -> None:
    (function,) = lift_source(
        read_source(str(FOLDER / "trace_of_matrix.cpp")), LiftOptions(("trace_of_matrix",))
    ).functions
    texts = [condition.text for condition in function.preconditions]
    assert "a_data has at least a_cols*a_rows + a_rows - a_cols elements" in texts


def test_sizes_that_must_agree_are_stated_as_equal() -> None:
    (function,) = lift_source(read_source(str(FOLDER / "jacobi_iterations.cpp")), LiftOptions()).functions
    assert "x.size() == b.size()" in [condition.text for condition in function.preconditions]


def test_what_the_library_does_is_placed_where_it_is_called() -> None:
    source = (
        "#include <numeric>\n#include <vector>\nint f(const std::vector<double> &v) {\n"
        "  return std::accumulate(v.begin(), v.end(), 0);\n}\n"
    )
    (function,) = lift_source(source_from_text(source, "f.cpp"), LiftOptions(("f",))).functions
    assert [str(loop.location) for loop in function.residual_loops] == ["f.cpp:4:10"]


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_every_header_of_c_serves_both_languages(language: str) -> None:
    found = sorted(path.relative_to(HEADERS) for path in HEADERS.rglob("*.h"))
    headers = ["cblas.h", *(str(name) for name in found if name.parts[0] != "defined")]
    text = "".join(f"#include <{header}>\n" for header in headers)
    text += "void f(bool on, int n, double *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = x[i] > 0 and not on;\n}\n"
    (function,) = lift_source(source_from_text(text, f"f.{language}"), LiftOptions()).functions
    assert function.lifted, function.diagnostics


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program_states_its_verdict_and_defines_its_function(path: Path) -> None:
    first, second, *_ = path.read_text().splitlines()
    assert first.removeprefix("// expect: ") in VERDICTS
    assert re.fullmatch(r"// \S.*\.", second)
    assert re.search(rf"\b{path.stem}\(", path.read_text())


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler named c++ on the search path")
def test_programs_compile_without_a_warning() -> None:
    """Each in a namespace of one text, so that the headers, which stand before all of them, are read once."""
    assert COMPILER is not None
    headers = sorted(
        {line for path in PROGRAMS for line in re.findall("^#include <.*", path.read_text(), re.MULTILINE)}
    )
    spaces = [f'namespace in_{path.stem} {{\n#include "{path}"\n}}' for path in PROGRAMS]
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", "-"]
    text = "\n".join([*headers, *spaces, ""])
    done = subprocess.run([COMPILER, *flags], input=text, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]


# What is read in no other way than as the source says it: copies of variables, vectors that are returned on either way.
LIFTED = {
    "a lambda that has a copy of a variable": """int f(int n) {
  int k = n;
  auto g = [=](int x) { return x + k; };
  k = 2;
  return g(1);
}""",
    "one of two vectors": """std::vector<int> f(int n) {
  std::vector<int> a(n, 1), b(n, 2);
  if (n > 3) return a;
  return b;
}""",
    "an element less": "int f(int n) { std::vector<int> o(n); o.pop_back(); return o.size(); }",
}


@pytest.mark.parametrize("text", LIFTED)
def test_both_halves_are_proved(text: str) -> None:
    source = source_from_text(f"#include <vector>\n{LIFTED[text]}\n", "f.cpp")
    (function,) = lift_source(source, LiftOptions(test=COMPILER is not None)).functions
    assert function.level is function.definitions is Level.PROVED, function.diagnostics


def test_a_pointer_to_an_object_is_that_object_whose_numbers_lie_in_memory() -> None:
    text = """struct node { int index; };
struct problem { int n; int *y; node **x; };
static int at(const problem *p, int i) { return p->y[i]; }
void f(problem *p, const problem &q) { for (int i = 0; i < q.n; i++) p->y[i] = at(p, i) + 1; }"""
    options = LiftOptions(("f",), test=COMPILER is not None)
    (function,) = lift_source(source_from_text(text, "f.cpp"), options).functions
    assert "return p_y + 1" in function.program, function.diagnostics
    assert "p_y shares no memory with q_n" in {row.text for row in function.preconditions}
