"""Programs in an imported dialect: every engine finds them, upstream takes them, and whatever is wrong is refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tensorlift.cli import main
from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.record import Level, Verdict
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

_TARGET = "examples/accel.target.json"
_HEAD = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
_SUM = "for (int p = 0; p < k; p++)"
_MATRICES = "int n, int m, int k, double A[n][k], double B[k][m], double C[n][m]"
_SOURCES = {
    "gemm": f"void f({_MATRICES}, double a, double b) {{ {_HEAD} {{"
    f" C[i][j] *= b; {_SUM} C[i][j] += a * A[i][p] * B[p][j]; }} }}",
    "accumulated": f"void f({_MATRICES}) {{ {_HEAD} {_SUM} C[i][j] += A[i][p] * B[p][j]; }}",
    "gemv": "void f(int n, int k, float A[n][k], float x[k], float y[n]) {"
    " for (int i = 0; i < n; i++) for (int p = 0; p < k; p++) y[i] += A[i][p] * x[p]; }",
    "layer": f"void f(int n, int m, int k, float A[n][k], float B[k][m], float b[m], float C[n][m]) {{ {_HEAD} {{"
    f" float s = b[j]; {_SUM} s += A[i][p] * B[p][j]; C[i][j] = s > 0 ? s : 0; }} }}",
    "dot": "double f(int n, double x[n], double y[n]) {"
    " double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }",
    "relu": f"void f(int n, int m, double A[n][m], double B[n][m]) {{ {_HEAD} B[i][j] = A[i][j] > 0 ? A[i][j] : 0; }}",
    "scaled": f"void f(int n, int m, double s, double A[n][m], double B[n][m]) {{ {_HEAD} B[i][j] = s * A[i][j]; }}",
}  # fmt: skip
_OPERATIONS = {"gemm": 3, "accumulated": 1, "gemv": 1, "layer": 3, "dot": 1, "relu": 1, "scaled": 1}
_CONVOLUTION = """void f(int n, int m, int p, int q, float I[n+p-1][m+q-1], float K[p][q], float O[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
    O[i][j] = 0;
    for (int u = 0; u < p; u++) for (int v = 0; v < q; v++) O[i][j] += I[i + u][j + v] * K[u][v];
  }
}
"""


@pytest.fixture(autouse=True)
def _in_repository(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def _tried(text: str, engine: str = "auto") -> FunctionRecord:
    (record,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target=_TARGET, engine=engine)).functions
    return record


@cache
def _lifted(name: str, engine: str = "auto") -> FunctionRecord:
    record = _tried(_SOURCES.get(name, _CONVOLUTION), engine)
    assert record.lifted, record.diagnostics
    return record


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("engine", ["derive", "tactics", "sketch", "enumerate"])
@pytest.mark.parametrize("name", _SOURCES)
def test_each_engine_lifts_by_meanings_alone(name: str, engine: str) -> None:
    record = _lifted(name, engine)
    assert (record.verdict, record.level) == (Verdict.LOOP_FREE, Level.PROVED)
    assert record.program.count('"accel.') == _OPERATIONS[name]
    assert verify(_certificate(record)) == ()


def _certificate(record: FunctionRecord) -> dict[str, Any]:
    assert record.certificate is not None
    found: dict[str, Any] = json.loads(json.dumps(record.certificate))
    return found


def test_a_convolution_lifts() -> None:
    assert '"accel.conv2d"' in _lifted("convolution").program


@pytest.mark.in_turns(2)
@pytest.mark.skipif(find_tools() is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("name", [*_SOURCES, "convolution"])
def test_upstream_verifies_programs_against_the_definition(name: str, tmp_path: Path) -> None:
    tools = find_tools()
    assert tools is not None
    file = tmp_path / "program.mlir"
    file.write_text(_lifted(name).program)
    command = [tools.opt, "--irdl-file=examples/accel.irdl.mlir", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(%A, %B, %C)", "(%B, %A, %C)"),
        ("(%A, %B, %C)", "(%A, %B, %A)"),
        ('"accel.matmul"(%A, %B, %C)', '"accel.matmul"(%A, %B)'),
        ('"accel.matmul"', '"accel.barrier"'),
        ("(%A, %B, %C) :", "(%A, %B, %C) <{axis = 1 : i32}> :"),
        ("%C) : (tensor<?x?xf64>", "%C) : (tensor<4x?xf64>"),
        ("return %0", "return %C"),
    ],
)
def test_a_program_that_computes_something_else_is_refused(old: str, new: str) -> None:
    certificate = certificate_from_json(_certificate(_lifted("accumulated")))
    assert old in certificate.program
    wrong = certificate.program.replace(old, new)
    with pytest.raises(CheckFailure):
        check(wrong, certificate.entry, certificate.summary, get_target(_TARGET), certificate.cuts)


def test_extents_for_which_an_operation_is_not_defined_are_refused() -> None:
    """A kernel that may be larger than the image has no convolution."""
    certificate = certificate_from_json(_certificate(_lifted("convolution")))
    wrong = re.sub(r'"accel.conv2d"\((%\w+), (%\w+)', r'"accel.conv2d"(\2, \1', certificate.program)
    assert wrong != certificate.program
    with pytest.raises(CheckFailure):
        check(wrong, certificate.entry, certificate.summary, get_target(_TARGET), certificate.cuts)


def test_a_meaning_that_is_changed_no_longer_proves(tmp_path: Path) -> None:
    file = tmp_path / "wrong.target.json"
    text = Path(_TARGET).read_text(encoding="utf-8")
    file.write_text(text.replace("acc(acc_x0, acc_x1) + sum", "acc(acc_x0, acc_x1) - sum"))
    certificate = certificate_from_json(_certificate(_lifted("accumulated")))
    with pytest.raises(CheckFailure):
        check(certificate.program, certificate.entry, certificate.summary, get_target(str(file)), certificate.cuts)


def _strict_target(tmp_path: Path) -> str:
    """Return a target whose definition takes no doubles as factors, though an instance of it has them."""
    file = tmp_path / "strict.target.json"
    text = Path(_TARGET).read_text(encoding="utf-8")
    assert "%f64 = irdl.is f64" in text
    file.write_text(text.replace("%f64 = irdl.is f64", "%f64 = irdl.is f16"))
    return str(file)


def test_what_the_definition_does_not_take_is_not_proved(tmp_path: Path) -> None:
    certificate = certificate_from_json(_certificate(_lifted("scaled")))
    with pytest.raises(CheckFailure, match=r"accel.scale: its definition has no factor of the type f64"):
        check(
            certificate.program,
            certificate.entry,
            certificate.summary,
            get_target(_strict_target(tmp_path)),
            certificate.cuts,
        )


def test_a_candidate_that_the_verifier_refuses_is_dropped_and_counted(tmp_path: Path) -> None:
    source = source_from_text(_SOURCES["scaled"], "f.c")
    for engine in ("derive", "enumerate"):
        options = LiftOptions(target=_strict_target(tmp_path), engine=engine)
        (record,) = lift_source(source, options).functions
        assert '"accel.scale"' not in record.program
        if engine == "enumerate":
            assert record.engines[0].counts["unverified"] > 0


def test_heuristics_are_for_dialects_too() -> None:
    """Without them a matrix is also multiplied where the source adds nothing up."""
    source, tried = source_from_text(_SOURCES["relu"], "f.c"), []
    for heuristics in (("operations", "reductions"), ("operations",), ()):
        options = LiftOptions(target=_TARGET, engine="enumerate", heuristics=heuristics)
        (record,) = lift_source(source, options).functions
        assert record.lifted
        tried.append(record.engines[0].counts["enumerated"])
    assert tried == sorted(tried)
    assert tried[0] < tried[2]


def test_what_the_dialect_lacks_stays_a_loop_or_is_refused() -> None:
    source = f"void f(int n, int m, double A[n][m], double B[n][m]) {{ {_HEAD} B[i][j] = A[i][j] / 3; }}"
    assert _tried(source).verdict.value == "hybrid"
    assert [d.code for d in _tried(source, "enumerate").diagnostics] in (["TL311"], ["TL312"])


def test_a_target_that_was_added_has_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    arguments = ["--irdl", "examples/accel.irdl.mlir", "--lowering", "examples/accel.lowerings.mlir"]
    assert main(["target", "add", "engine", *arguments]) == 0
    assert "accel.barrier: no meaning: it has another number of results than one\n" in capsys.readouterr().out
    assert main(["lift", "examples/mlp_layer.c", "--to", "engine"]) == 0
    assert '"accel.relu"' in capsys.readouterr().out
    assert main(["targets", "engine", "--explain", "accel.relu"]) == 0
    assert "= max(x(result_x0, result_x1), 0)" in capsys.readouterr().out
    assert main(["targets"]) == 0
    assert "engine" in capsys.readouterr().out
    shutil.rmtree(tmp_path / "tensorlift")
    assert main(["lift", "examples/mlp_layer.c", "--to", "engine"]) == 2
    assert "there is no target 'engine' [TL502]" in capsys.readouterr().err


def test_programs_are_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lift", "examples/mlp_layer.c", "--to", _TARGET, "--test"]) == 0
    assert "warning: nothing is known that runs programs in an imported dialect [TL615]" in capsys.readouterr().err
