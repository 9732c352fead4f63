"""A function of literal IR and its structured form agree on all inputs, where control goes anywhere."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from bench import random_control
from bench.literal import files, read, run
from bench.signatures import draw, run_literally
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tensorlift.ir.literal_interpreter import EndedError, LiteralInterpreter, TooLongError, UndefinedError
from tensorlift.ir.regions import IrreducibleError
from tensorlift.normalise.kept_places import KeptPlaces
from tensorlift.normalise.loop_ir import PASSES
from tensorlift.readers.clang import read_literally

if TYPE_CHECKING:
    from tensorlift.readers.clang import LiteralFunction

_EVERY = 12  # files of the corpora
_IRREDUCIBLE = {"copy_interleaved_switch"}
_INPUTS = 6
_MOST_BRANCHES = 2000
_PROGRAMS = settings(max_examples=25, deadline=None, derandomize=True)


def _outcome(function: LiteralFunction, interpreter: LiteralInterpreter, values: list[Any]) -> object:
    try:
        found = run_literally(function, interpreter, values, _MOST_BRANCHES)
    except (UndefinedError, EndedError) as stop:
        return type(stop).__name__
    except TooLongError:
        return None
    return [value.tolist() for value in found]


def _differences(text: str, seed: int, *, reads_on: bool = False) -> list[object]:
    """Run a function and its structured form on random inputs; how many branches either takes is no matter.

    One that ``reads_on`` after its first hit may do what has no meaning there.
    """
    read = read_literally(text, "f.c")
    (function,) = read.functions
    module = read.module.clone()
    for rewriting in (*PASSES, KeptPlaces()):
        rewriting.apply(module)
    module.verify()
    before, after, rng = LiteralInterpreter(read.module), LiteralInterpreter(module), random.Random(seed)
    found: list[object] = []
    for _ in range(_INPUTS):
        values = draw(function, rng)
        one, other = _outcome(function, before, values), _outcome(function, after, values)
        if reads_on and other == "UndefinedError":
            continue
        found += [(one, other)] if one is not None and other is not None and str(one) != str(other) else []
    return found


@_PROGRAMS
@given(st.integers(0, 1 << 20))
@example(5349)  # a search that leaves a pointer
def test_random_control_runs_as_before(seed: int) -> None:
    try:
        assert _differences(random_control.generate(seed), seed) == []
    except IrreducibleError:
        return


@_PROGRAMS
@given(
    st.sampled_from(("int i = 0", "int i = n", "unsigned i = m - 2", "unsigned i = 7")),
    st.sampled_from(("i++", "i--", "i += 2", "i -= 3", "i *= 2")),
    st.sampled_from(("i < {}", "i <= {}", "i > {}", "i >= {}", "i != {}")),
    st.sampled_from(("m", "n + 1", "5", "p[0]", "c")),
    st.sampled_from(("", "if (i < m)", "if (i <= m && n > 0)", "if (n == 2) return 3; else")),
)
def test_loops_that_test_behind_their_body_run_as_before(
    start: str, step: str, test: str, bound: str, guard: str
) -> None:
    loop = f"do {{ p[c & 7] += i; {step}; c++; t = i - 1; }} while ({test.format(bound)});"
    result = "i + 3 * c + 5 * t"
    text = f"int f(int n, int m, int *p) {{ {start}; int c = 0, t = 0; {guard} {{ {loop} }} return {result}; }}"
    assert _differences(text, len(text)) == []


@_PROGRAMS
@given(
    st.sampled_from(("int i = 0", "int i = n", "unsigned i = m", "int i = 7")),
    st.sampled_from(("i++, j += 3", "i--, j--", "++i", "--i, j += i")),
    st.sampled_from(("i < m", "i <= n", "i > 0", "m >= i", "i != n")),
    st.sampled_from(("p[i & 7] == k", "p[i & 7] > p[j & 3] && i != 2", "(p[j & 7] ^ i) < 2")),
    st.sampled_from(
        ("return i + j;", "break;", "{ r = p[i & 7]; break; }", "{ p[0] = r = j; goto out; }", "return r;")
    ),
)
def test_searches_run_as_before(start: str, step: str, test: str, hit: str, end: str) -> None:
    loop = f"for (; {test}; {step}) if ({hit}) {end}"
    text = f"int f(int n, int m, int k, int *p) {{ {start}; int j = 1, r = -1; {loop} out: return i - 3 * j + 5 * r; }}"
    assert _differences(text, len(text), reads_on=True) == []


@_PROGRAMS
@given(
    st.sampled_from(("int i = 0; i < n; i++", "int i = m; i > 0; i--", "unsigned i = 1; i <= m; ++i")),
    st.sampled_from(("int j = 0; j < m; j++", "int j = i; j != n; j++", "int j = n; j-- > 0;")),
    st.sampled_from(("p[(i + j) & 7] == k", "p[i & 7] > p[j & 3] && i != 2", "(p[j & 7] ^ i) < 2")),
    st.sampled_from(("return i + 3 * j;", "{ r = 7; goto out; }", "{ r = i; s = j; goto out; }", "return r;")),
    st.sampled_from(("", "r = p[i & 7];", "if (p[i & 7] == 3) return 5;")),
)
def test_searches_in_nests_run_as_before(outer: str, inner: str, hit: str, end: str, first: str) -> None:
    loops = f"for ({outer}) {{ {first} for ({inner}) if ({hit}) {end} }}"
    text = f"int f(int n, int m, int k, int *p) {{ int r = -1, s = 2; {loops} out: return r + 5 * s; }}"
    assert _differences(text, len(text), reads_on=True) == []


@_PROGRAMS
@given(
    st.lists(
        st.sampled_from(
            (
                "return 1;",
                "return i;",
                "break;",
                "{ r = 2; break; }",
                "{ r = i; goto on; }",
                "{ s = r + 3; r = 4; goto next; }",
                "{ p[1] = 5; break; }",
                "{ r = 6; goto out; }",
                "continue;",
            )
        ),
        min_size=2,
        max_size=5,
    ),
    st.sampled_from(("i < m", "i < n && i != 5", "1")),
    st.sampled_from(("", "r += i;", "p[2] = r; r = p[3];", "if (r == 2) continue;")),
    st.sampled_from(("", "s = 7;", "while (s < 9) s++;", "return r;")),
)
def test_loops_with_several_ends_run_as_before(ends: list[str], test: str, then: str, last: str) -> None:
    exits = " ".join(f"if (p[(i + j) & 7] == {2 * number - 3}) {end}" for number, end in enumerate(ends))
    inner = f"for (i = 0; {test}; i++) {{ {exits} if (i > 9) return 8; }}"
    outer = f"for (int j = 0; j < n; j++) {{ {inner} {then} on: r++; next: s += r; }}"
    text = f"int f(int n, int m, int *p) {{ int i, r = -1, s = 2; {outer} {last} out: return r + 5 * s; }}"
    assert _differences(text, len(text), reads_on=True) == []


@_PROGRAMS
@given(
    st.sampled_from(("int i = 1; i < n; i++", "int i = m; i > 0; i--", "unsigned i = 1; i <= m; ++i")),
    st.sampled_from(("0", "1", "n", "m + 1")),
    st.sampled_from(("p[i & 7] > p[k & 7]", "p[i & 7] + i > p[k & 7] + k", "p[i & 7] != 3 && p[i & 7] < p[k & 7]")),
    st.sampled_from(("if ({}) k = i;", "k = {} ? i : k;", "if ({}) {{ if (i != 3) k = i; else r += p[k & 7]; }}")),
    st.sampled_from(("r = k;", "r += p[k & 7];", "r += p[k & 7]; p[0] = 9; r += 3 * p[k & 7];")),
)
def test_values_at_places_that_are_kept_are_what_they_were(
    over: str, start: str, better: str, keep: str, end: str
) -> None:
    loop = f"for ({over}) {{ {keep.format(better)} }}"
    text = f"int f(int n, int m, int *p) {{ int r = 0, k = {start}; {loop} {end} return r + 5 * k; }}"
    assert _differences(text, len(text), reads_on=True) == []


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler named cc on the search path")
def test_structured_functions_of_the_corpora_run_as_compiled() -> None:
    subjects = [s for s in read(files()[::_EVERY]).subjects if s.path.stem not in _IRREDUCIBLE]
    for module in {id(s.module): s.module.module for s in subjects}.values():
        for rewriting in PASSES:
            rewriting.apply(module)
    run(subjects)
    wrong = {str(s.path): s.result for s in subjects if s.result not in {"equal", "undefined", ""}}
    assert wrong == {}
    assert sum(s.ran > 0 for s in subjects) >= 0.9 * len(subjects)
