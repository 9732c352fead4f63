"""The engine `enumerate`: arithmetic of the field in arrays, programs that are found, what is counted, refusals."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bench.fuzz import lift_seed
from hypothesis import given
from hypothesis import strategies as st

from tensorlift.cli import main
from tensorlift.diagnostics import LiftError
from tensorlift.engines import HEURISTICS, heuristics_named, limits_named
from tensorlift.ir.function import functions
from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.record import Level
from tensorlift.source import source_from_text
from tensorlift.summarize import summarise
from tensorlift.synthesis.enumerate import Options, Statistics, enumerated
from tensorlift.synthesis.enumerate.heuristics import Folds, folds_of
from tensorlift.synthesis.enumerate.pools import Entries, Kind, Pool, fingerprints
from tensorlift.synthesis.enumerate.steps import applied
from tensorlift.synthesis.simplify import simplify
from tensorlift.synthesis.symbolic import field
from tensorlift.synthesis.symbolic.field import PRIME
from tensorlift.synthesis.symbolic.graph import Graph
from tensorlift.synthesis.symbolic.task import Task
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ops.dtypes import DType

_ELEMENTS = st.lists(st.integers(0, PRIME - 1) | st.sampled_from([0, 1, 2, PRIME - 1, PRIME - 2]), min_size=1)
_GEMV = (
    "void gemv(int m, int n, double alpha, double A[m][n], double x[n], double y[m]) {\n"
    "  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) y[i] += alpha * A[i][j] * x[j];\n}\n"
)
_PROGRAMS = {
    "dot": "double f(int n, double a[n], double b[n]) "
    "{ double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }",
    "outer": "void f(int n, int m, double a[n], double b[m], double c[n][m]) "
    "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c[i][j] += a[i] * b[j]; }",
    "lerp": "void f(int n, double t, double a[n], double b[n], double c[n]) "
    "{ for (int i = 0; i < n; i++) c[i] = t * a[i] + (1 - t) * b[i]; }",
    "transposed": "void f(int n, int m, int p, double a[p][n], double b[m][p], double c[n][m]) { "
    "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { c[i][j] = 0; "
    "for (int k = 0; k < p; k++) c[i][j] += a[k][i] * b[j][k]; } }",
    "largest": "double f(int n, double a[n]) "
    "{ double s = a[0]; for (int i = 1; i < n; i++) s = a[i] > s ? a[i] : s; return s; }",
    "guarded": "void f(int n, int a[n], int b[n]) { for (int i = 0; i < n; i++) b[i] = a[i] == 0 ? 7 : 100 / a[i]; }",
    "mean": "double f(int n, double a[n]) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s / n; }",
    "lower": "void f(int n, int m, double b, double C[n][n], double A[n][m]) { for (int i = 0; i < n; i++) "
    "for (int j = 0; j <= i; j++) { C[i][j] *= b; for (int k = 0; k < m; k++) C[i][j] += A[i][k] * A[j][k]; } }",
    "symmetric": "void f(int m, int n, double C[m][n], double A[m][m], double B[m][n]) { for (int i = 0; i < m; i++) "
    "for (int j = 0; j < n; j++) { double t = 0; for (int k = 0; k < i; k++) "
    "{ C[k][j] += B[i][j] * A[i][k]; t += B[k][j] * A[i][k]; } C[i][j] = C[i][j] + B[i][j] * A[i][i] + t; } }",
    "scaled": "#include <math.h>\nvoid f(int n, int m, double A[n][m], double s[m]) { for (int j = 0; j < m; j++) "
    "{ double t = 0; for (int i = 0; i < n; i++) t += A[i][j] * A[i][j]; t = sqrt(t / n); "
    "s[j] = t <= 0.1 ? 1.0 : t; } }",
    "logistic": "#include <math.h>\nvoid f(int n, double a[n]) "
    "{ for (int i = 0; i < n; i++) a[i] = 1 / (1 + exp(-a[i])); }",
}


def _summary(text: str) -> Summary:
    (read,) = read_c(text, "k.c")
    assert read.module is not None
    return simplify(summarise(functions(read.module)[0]))


def _array(values: list[int]) -> field.Elements:
    return np.array(values, np.uint64)


@given(_ELEMENTS, _ELEMENTS)
def test_arrays_of_elements_are_added_and_multiplied_as_numbers_are(left: list[int], right: list[int]) -> None:
    pairs = list(zip(left, right, strict=False))
    a, b = (_array([pair[side] for pair in pairs]) for side in (0, 1))
    assert field.add(a, b).tolist() == [(x + y) % PRIME for x, y in pairs]
    assert field.sub(a, b).tolist() == [(x - y) % PRIME for x, y in pairs]
    assert field.mul(a, b).tolist() == [x * y % PRIME for x, y in pairs]
    assert field.inverse(a).tolist() == [pow(x, PRIME - 2, PRIME) for x, _ in pairs]


@pytest.mark.parametrize("op", ["add", "sub", "mul", "max", "min", "eq", "lt", "gt", "tdiv", "exp", "neg", "sqrt"])
def test_functions_of_arrays_are_those_of_nodes(op: str) -> None:
    """What is enumerated is compared with a traced goal, so that both must give a function the same value."""
    graph = Graph()
    nodes = [graph.symbol(("scalar", name), "f64") for name in ("x", "y")][: 1 if op in ("exp", "neg", "sqrt") else 2]
    dtype: DType = "bool" if op in ("eq", "lt", "gt") else "f64"
    for operands in (nodes, nodes[::-1]):
        values = [_array([graph.value[node]]) for node in operands]
        assert applied(op, dtype, values).tolist() == [graph.value[graph.apply(op, operands, dtype)]]


def test_a_pool_takes_each_fingerprint_once() -> None:
    pool = Pool(Kind("f64", ()), (), 0)
    samples = np.tile(_array([5, 6, 5, 7]), (3, 1))
    prints = fingerprints(samples)
    assert pool.new_rows(prints).tolist() == [0, 1, 3]
    assert pool.new_rows(prints).tolist() == []


def test_a_pool_remembers_while_its_memory_grows() -> None:
    pool = Pool(Kind("f64", ()), (), 0)
    prints = fingerprints(np.tile(np.arange(1, 5001, dtype=np.uint64), (3, 1)))
    first, rest = prints[:200], prints[200:]
    assert len(pool.new_rows(first)) == 200
    assert len(pool.new_rows(rest)) == 4800
    again = len(pool.new_rows(prints))
    assert again < 50, "few are forgotten where two have one slot"


def test_cells_and_runs_of_one_cell_are_told_apart() -> None:
    entries = Entries(Kind("f64", ()), (), [_array([5, 6]).reshape(2, 1)], [])
    cells = np.zeros(3, np.int64)
    assert entries.at(cells).shape == (3, 2)
    assert entries.at(cells[:, None]).shape == (3, 1, 2)
    assert entries.at(cells).shape == (3, 2)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize(("seed", "code"), [(200011, "TL302"), (200176, "TL302"), (864467, "TL407")])
def test_a_search_after_a_derivation_that_failed_ends_in_a_refusal(seed: int, code: str) -> None:
    assert lift_seed(seed, test=False).kind == f"refused {code}"


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("target", ["numpy", "linalg"])
@pytest.mark.parametrize("name", _PROGRAMS)
def test_a_program_is_found_and_proved(name: str, target: str) -> None:
    options = LiftOptions(engine="enumerate", target=target)
    record = lift_source(source_from_text(_PROGRAMS[name], "k.c"), options)
    (function,) = record.functions
    assert function.level is Level.PROVED, function.diagnostics
    assert function.engine == "enumerate"


def test_a_run_counts_candidates() -> None:
    numbers = Statistics()
    enumerated(_summary(_GEMV), get_target("numpy"), numbers)
    assert numbers.enumerated >= numbers.evaluated > 0
    assert numbers.evaluated >= numbers.equivalent + numbers.kept
    assert numbers.kept > 0
    assert numbers.filtered > 0
    assert numbers.operations == 3


def test_heuristics_leave_out_candidates_that_the_source_does_not_suggest() -> None:
    counts = []
    for heuristics in (True, False):
        numbers = Statistics()
        options = Options(by_operations=heuristics, by_reductions=heuristics)
        enumerated(_summary(_PROGRAMS["mean"]), get_target("numpy"), numbers, options)
        counts.append(numbers.enumerated)
    assert counts[0] < counts[1]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("left_out", HEURISTICS)
@pytest.mark.parametrize("name", ["lower", "scaled"])
def test_each_heuristic_leaves_out_candidates(name: str, left_out: str) -> None:
    """Without one that takes goals apart, programs of more operations are tried, and nothing may be found."""
    counts = []
    for without in ((), (left_out,)):
        numbers = Statistics()
        by = {f"by_{heuristic}": heuristic not in without for heuristic in HEURISTICS}
        with suppress(LiftError):
            enumerated(_summary(_PROGRAMS[name]), get_target("numpy"), numbers, Options(candidates=30_000, **by))
        counts.append(numbers.enumerated)
    assert counts[0] < 3_000
    assert counts[0] < counts[1]


def test_only_axes_along_which_the_source_folds_are_folded() -> None:
    summary = _summary(
        "void f(int n, int m, double A[n][m], double y[n]) {\n"
        "  for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 1; j < m; j++) y[i] += A[i][j]; }\n}\n"
    )
    (definition,) = summary.definitions()
    n, m = Affine.var("n"), Affine.var("m")
    spans = {definition.indices[0]: (ZERO, n)}
    task = Task(definition.pieces, spans, definition.domain, {"A": (n, m)})
    assert folds_of(task) == Folds(frozenset({"sum"}), frozenset({m, m - 1}))


def test_what_matches_a_definition_is_counted() -> None:
    numbers = Statistics()
    enumerated(_summary(_GEMV), get_target("numpy"), numbers)
    assert numbers.matched >= numbers.rejected + 1
    assert numbers.unverified == 0


def test_heuristics_have_names() -> None:
    assert heuristics_named("parts, reductions, monomials, operations") == HEURISTICS
    assert heuristics_named("parts, operations") == ("operations", "parts")
    assert heuristics_named("reductions") == ("reductions",)
    assert heuristics_named("none") == ()


@pytest.mark.parametrize("text", ["", "none,operations", "luck"])
def test_unknown_heuristics_are_refused(text: str) -> None:
    with pytest.raises(LiftError, match="the engine enumerate has no heuristics") as refusal:
        heuristics_named(text)
    assert refusal.value.diagnostics[0].code == "TL313"
    with pytest.raises(LiftError, match="has no heuristics 'luck'"):
        lift_source(source_from_text(_GEMV, "k.c"), LiftOptions(engine="enumerate", heuristics=("luck",)))


def test_a_report_tells_the_heuristics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, report = tmp_path / "k.c", tmp_path / "k.json"
    file.write_text(_PROGRAMS["mean"])
    tried = []
    for names in ("operations,reductions", "none"):
        options = ["--engine", "enumerate", "--heuristics", names, "--explain", "--json", str(report)]
        assert main(["lift", str(file), *options]) == 0
        assert f"heuristics: {names.replace(',', ', ')};" in capsys.readouterr().out
        (run,) = json.loads(report.read_text())["functions"][0]["engines"]
        assert run["heuristics"] == [name for name in HEURISTICS if name in names]
        tried.append(run["counts"]["enumerated"])
    assert tried[0] < tried[1]


def test_heuristics_are_of_the_engine_that_enumerates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.c"
    file.write_text(_GEMV)
    assert main(["lift", str(file), "--heuristics", "none"]) == 2
    assert "--heuristics goes with --engine enumerate" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (Options(candidates=10), "TL312", "y: no program was found within 10 candidates"),
        (Options(bytes=100), "TL312", "y: no program was found within 1e-07 GB of candidates"),
        (Options(seconds=1e-9), "TL312", "y: no program was found within 1e-09 seconds"),
        (Options(operations=1), "TL311", "y: no program of up to 1 operations that the engine tries computes it"),
    ],
)
def test_the_end_of_a_search_is_a_refusal_at_its_place(options: Options, code: str, message: str) -> None:
    with pytest.raises(LiftError, match=message) as refusal:
        enumerated(_summary(_GEMV), get_target("numpy"), options=options)
    (diagnostic,) = refusal.value.diagnostics
    assert diagnostic.code == code
    assert diagnostic.location is not None
    assert diagnostic.remedy.startswith("allow more with --limits ")


@pytest.mark.parametrize(
    "text", ["", "candidates", "candidates=0", "candidates=1.5", "seconds=nan", "bytes=1", "seconds=1,seconds=2"]
)
def test_unknown_limits_are_refused(text: str) -> None:
    with pytest.raises(LiftError, match="the engine enumerate has no such limits") as refusal:
        limits_named(text)
    assert refusal.value.diagnostics[0].code == "TL317"


def test_limits_are_of_the_engine_that_enumerates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.c"
    file.write_text(_GEMV)
    assert main(["lift", str(file), "--limits", "seconds=1"]) == 2
    assert "--limits goes with --engine enumerate" in capsys.readouterr().err
    assert main(["lift", str(file), "--engine", "enumerate", "--limits", "operations=2"]) == 1
    assert "help: allow more with --limits operations=3, or use another engine" in capsys.readouterr().err
    assert main(["lift", str(file), "--engine", "enumerate", "--limits", "operations=3,seconds=60"]) == 0


def test_the_same_source_gives_the_same_program() -> None:
    texts = {
        lift_source(source_from_text(_GEMV, "k.c"), LiftOptions(engine="enumerate")).functions[0].program
        for _ in range(2)
    }
    assert len(texts) == 1
    assert "y + A @ (x * alpha)" in texts.pop()
