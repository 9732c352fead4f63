"""The engine `sketch`: the reference kernels with loop-free programs, refusals, determinism, derivations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from bench.kernels.catalogue import ROOT
from tests.shared import is_exhaustive

from tensorlift.cli import main
from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import functions
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level, Verdict
from tensorlift.source import read_source, source_from_text
from tensorlift.summarize import summarise
from tensorlift.synthesis.simplify import simplify
from tensorlift.synthesis.sketch import KINDS, Run, sketch
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary
    from tensorlift.record import FunctionRecord

_INDEX = json.loads((ROOT / "index.json").read_text())
_ENTRIES = [e for e in _INDEX if e["expect"] == "loop-free"]
_HYBRID = [e for e in _INDEX if e["expect"] == "hybrid"]
_GEMM = (
    "void gemm(int m, int n, int p, double alpha, double C[m][n], double A[m][p], double B[p][n]) {\n"
    "  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) for (int k = 0; k < p; k++)\n"
    "    C[i][j] += alpha * A[i][k] * B[k][j];\n}\n"
)


def _lifted(text: str, **options: Any) -> FunctionRecord:
    record = lift_source(source_from_text(text, "k.c"), LiftOptions(engine="sketch", **options))
    return record.functions[0]


def _summary(text: str) -> Summary:
    from tensorlift.languages.c import read_c  # noqa: PLC0415 - for the tests below

    (read,) = read_c(text, "k.c")
    assert read.module is not None
    return simplify(summarise(functions(read.module)[0]))


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("entry", _ENTRIES, ids=lambda e: f"{e['suite']}/{e['name']}")
def test_sketch_alone_lifts_a_kernel(entry: dict[str, Any]) -> None:
    """That derive lifts it too, and that both programs equal the same definitions, is what test_kernels_lift finds."""
    path = Path(ROOT / entry["file"])
    options = LiftOptions((entry["function"],), include_dirs=(str(path.parent),), engine="sketch")
    (function,) = lift_source(read_source(str(path)), options).functions
    assert function.verdict is Verdict.LOOP_FREE, function.diagnostics
    assert (function.level, function.engine) == (Level.PROVED, "sketch")


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("entry", _HYBRID, ids=lambda e: f"{e['suite']}/{e['name']}")
def test_sketch_alone_lifts_the_bodies_of_kept_loops(entry: dict[str, Any]) -> None:
    path = Path(ROOT / entry["file"])
    kept = []
    for engine in ("sketch", "derive"):
        options = LiftOptions((entry["function"],), include_dirs=(str(path.parent),), engine=engine)
        (function,) = lift_source(read_source(str(path)), options).functions
        assert function.verdict in {Verdict.HYBRID, Verdict.UNCHANGED}, function.diagnostics
        assert function.level is Level.PROVED
        kept.append([loop for loop in function.residual_loops if "slower by degree" not in loop.reason])
    assert kept[0] == kept[1]


@pytest.mark.parametrize(
    ("target", "sizes"), [("jax", ()), ("torch", ()), ("linalg", ()), ("stablehlo", (("m", 3), ("n", 4), ("p", 5)))]
)
def test_sketch_lifts_to_other_targets(target: str, sizes: tuple[tuple[str, int], ...]) -> None:
    function = _lifted(_GEMM, target=target, sizes=sizes)
    assert function.level is Level.PROVED
    assert function.engine == "sketch"


@pytest.mark.parametrize(
    ("body", "program"),
    [
        ("o[i] = (x[i] - y[i]) * (x[i] - y[i]) / 2;", "(x - y) ** 2 / 2.0"),
        ("o[i] = (x[i] - y[i]) * (x[i] + y[i]);", "(x - y) * (y + x)"),
        ("o[i] = x[i] / (1 + exp(-x[i]));", "x / (np.exp(-x) + 1.0)"),
        ("o[i] = 0; for (int j = 0; j < m; j++) o[i] += x[i];", "m * x"),
        ("o[i] = x[i] + i;", "np.arange(n) + x"),
        ("o[i] = x[i] - (i + 2);", "x - np.arange(2, n + 2)"),
        ("o[i] = x[i] > 0 ? sqrt(x[i]) : 0;", "np.where(mask, np.sqrt(np.where(mask, x, 1.0)), 0.0)"),
    ],
)
def test_a_program_reads_like_written_by_hand(body: str, program: str) -> None:
    text = "#include <math.h>\nvoid f(int n, int m, double x[n], double y[n], double o[n]) {\n"
    text += f"  for (int i = 0; i < n; i++) {{ {body} }}\n}}\n"
    function = _lifted(text)
    assert function.level is Level.PROVED, function.diagnostics
    assert program in function.program.replace("0.0 < x", "x > 0.0")


@pytest.mark.parametrize(
    ("body", "program"),
    [
        ("for (int a = 0; a < 3; a++) for (int b = 0; b < 3; b++) s += x[i + a][j + b] * k[a][b];",
         "sum(x[l : l + n, p : m + p] * k[l, p] for l in range(3) for p in range(3))"),
        ("for (int a = 0; a < 3; a++) for (int b = 0; b < 3; b++) s += x[i + a][j + b];",
         "sliding_window_view(x, (3, 3)).sum(axis=(2, 3))"),
        ("for (int a = 0; a < 3; a++) s += x[i + a][j] * k[a][1];",
         "sliding_window_view(x[:, :-2], 3, axis=0) @ k[:, 1]"),
        ("s = x[i][j]; for (int a = 0; a < 3; a++) for (int b = 0; b < 3; b++) s = MAX(s, x[i + a][j + b]);",
         "sliding_window_view(x, (3, 3)).max(axis=(2, 3))"),
        ("for (int a = 0; a < 3; a++) if (j + a > 0 && j + a <= m) s += z[i][j + a - 1] * k[0][a];", "[:, 1:-1] = z"),
    ],
)  # fmt: skip
def test_windows_are_found(body: str, program: str) -> None:
    text = "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
    text += "void f(int n, int m, double x[n + 2][m + 2], double k[3][3], double z[n][m], double o[n][m]) {\n"
    text += f"  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {{ double s = 0; {body} o[i][j] = s; }}\n}}\n"
    function = _lifted(text)
    assert (function.verdict, function.level) == (Verdict.LOOP_FREE, Level.PROVED), function.diagnostics
    assert program in " ".join(function.program.split()).replace("( ", "(").replace(", )", ")")


@pytest.mark.parametrize(
    "name", ["conv2d_valid", "conv2d_same", "depthwise_conv", *["conv2d_channels"] * is_exhaustive()]
)  # what is a convolution of a dialect is found in its tests
def test_convolutions_of_two_dimensions_are_lifted(name: str) -> None:
    path = ROOT.parent / "legacy_programs" / f"{name}.c"
    (function,) = lift_source(read_source(str(path)), LiftOptions(engine="sketch")).functions
    assert (function.verdict, function.level) == (Verdict.LOOP_FREE, Level.PROVED), function.diagnostics


@pytest.mark.parametrize(
    ("condition", "mask"),
    [
        ("i > 2", "np.arange(n) >= 3"),
        ("i < k", "k - 1 >= np.arange(n)"),
        ("i % 2 == 0", "np.arange(n) % 2 == 0"),
        ("i % 3 != 1", "np.arange(n) % 3 == 1"),
    ],
)
def test_conditions_on_positions_become_selections(condition: str, mask: str) -> None:
    """They are found inside of what is computed, and never a product with zeros and ones."""
    body = f"for (int i = 0; i < n; i++) o[i] = ({condition} ? x[i] : y[i]) * x[i] + y[i];"
    function = _lifted(f"void f(int n, int k, double x[n], double y[n], double o[n]) {{ {body} }}\n")
    assert function.level is Level.PROVED, function.diagnostics
    assert f"np.where({mask}, " in function.program
    assert "1.0" not in function.program


def test_cells_at_steps_are_assigned_under_a_mask() -> None:
    function = _lifted(
        "void f(int n, double x[n], double o[n]) { for (int i = 0; i < n; i++) if (i % 3 == 1) o[i] = x[i] + o[i]; }\n"
    )
    assert function.level is Level.PROVED, function.diagnostics
    assert "np.arange(n) % 3 == 1" in function.program


def test_a_sum_of_products_is_one_contraction() -> None:
    function = _lifted(
        "void f(int n, int m, double x[m], double a[n][m], double b[m], double o[n]) {\n"
        "  for (int i = 0; i < n; i++) { o[i] = b[0]; for (int j = 0; j < m; j++) o[i] -= a[i][j] * x[j]; }\n}\n"
    )
    assert "b[0] - a @ x" in function.program


def test_a_number_that_equals_a_size_stays_a_number() -> None:
    """Three and four are the extents at which programs are found."""
    function = _lifted(
        "void f(int n, int m, double x[n], double o[n][m]) {\n"
        "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) o[i][j] = 3 * x[i] + 4;\n}\n"
    )
    assert function.level is Level.PROVED
    assert "x * 3.0 + 4.0" in function.program


def test_what_no_sketch_covers_is_refused_at_its_place() -> None:
    function = _lifted(
        "void f(int n, double x[n], double o[n]) {\n  for (int i = 0; i < n; i++)\n    o[i] = x[i] * i * i;\n}\n"
    )
    assert function.verdict is Verdict.REFUSED
    assert [d.code for d in function.diagnostics] == ["TL311"]
    assert "use another engine" in (function.diagnostics[0].remedy or "")


def test_an_exhausted_budget_is_refused() -> None:
    summary = _summary(_GEMM)
    with pytest.raises(LiftError, match="C: no program was found within 0 goals") as refusal:
        sketch(summary, get_target("numpy"), budget=0)
    (diagnostic,) = refusal.value.diagnostics
    assert diagnostic.code == "TL312"
    assert diagnostic.location is not None


def test_a_run_counts_what_it_did() -> None:
    run = Run()
    sketch(_summary(_GEMM), get_target("numpy"), run)
    numbers = run.statistics
    assert numbers.steps >= 1
    assert numbers.solved >= 1
    assert numbers.matched >= 2
    assert numbers.candidates >= numbers.solved
    assert numbers.algebraic == numbers.solved


@pytest.mark.parametrize(
    ("kind", "body"),
    [("patterns", "y[i] = x[i] > 0 ? x[i] : 0;"), ("algebra", "for (int j = 0; j <= i; j++) y[i] += A[i][j] * x[j];")],
)
def test_a_run_without_a_kind_of_sketches_does_not_find_what_needs_them(kind: str, body: str) -> None:
    text = f"void f(int n, double A[n][n], double x[n], double y[n]) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    run = Run()
    sketch(_summary(text), get_target("numpy"), run)
    by_algebra = run.statistics.algebraic
    assert {"algebra": by_algebra, "patterns": run.statistics.solved - by_algebra}[kind] > 0
    with pytest.raises(LiftError, match="finds no operations"):
        sketch(_summary(text), get_target("numpy"), Run(kinds=tuple(k for k in KINDS if k != kind)))


def test_the_derivation_of_a_program_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gemm.c"
    file.write_text(_GEMM)
    outputs = []
    for _ in range(2):
        assert main(["lift", str(file), "--emit", "sketches"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    lines = outputs[0].splitlines()
    assert lines[:2] == ["function gemm", "C_1"]
    assert any("contraction for [i, j]" in line for line in lines)
    assert lines[-1].startswith("# ")


def test_the_same_source_gives_the_same_program() -> None:
    assert _lifted(_GEMM).program == _lifted(_GEMM).program


def test_an_extreme_of_what_may_be_empty_has_a_start() -> None:
    path = Path(ROOT) / "polybench" / "nussinov.c"
    options = LiftOptions(("kernel_nussinov",), include_dirs=(str(path.parent),), engine="sketch")
    (function,) = lift_source(read_source(str(path)), options).functions
    assert function.level is Level.PROVED
    assert len(function.residual_loops) == 2
