"""Operations that write over an operand: upstream's Linalg from TableGen's records, with none described by hand."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.lifts import lifted
from tests.shared import shared

from tensorlift.dialects import windows
from tensorlift.dialects.from_passes import import_dump
from tensorlift.dialects.table import instance_lines
from tensorlift.pipeline import LiftOptions
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.record import Level, Verdict
from tensorlift.runtime.mlir.program import Module
from tensorlift.runtime.mlir.tools import find_tools, lowered_parts
from tensorlift.source import source_from_text
from tensorlift.targets import get_target
from tensorlift.targets.imported.record import dialect_from_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from tensorlift.record import FunctionRecord
    from tensorlift.targets.imported.record import ImportedDialect

    Array = npt.NDArray[np.float64]

_RECORDS = Path(__file__).parent / "linalg_records.json"  # made by trim_records.py
pytestmark = pytest.mark.skipif(find_tools() is None, reason="mlir-opt is not installed")
_HEAD = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
_SUM = "for (int p = 0; p < k; p++)"
_MATRICES = "int n, int m, int k, double A[n][k], double B[k][m], double C[n][m]"
_SOURCES = {
    "product": f"void f({_MATRICES}) {{ {_HEAD} {_SUM} C[i][j] += A[i][p] * B[p][j]; }}",
    "gemv": "void f(int n, int k, double A[n][k], double x[k], double y[n]) {"
    " for (int i = 0; i < n; i++) for (int p = 0; p < k; p++) y[i] += A[i][p] * x[p]; }",
    "dot": "double f(int n, double x[n], double y[n]) {"
    " double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }",
    "layer": f"void f({_MATRICES}, double b[m]) {{ {_HEAD} {{"
    f" double s = b[j]; {_SUM} s += A[i][p] * B[p][j]; C[i][j] = s > 0 ? s : 0; }} }}",
    "rows": "void f(int n, int m, double A[n][m], double r[n]) {"
    " for (int i = 0; i < n; i++) { r[i] = 0; for (int j = 0; j < m; j++) r[i] += A[i][j]; } }",
    "turned": f"void f(int n, int m, double A[n][m], double B[m][n]) {{ {_HEAD} B[j][i] = A[i][j]; }}",
    "halved": "#include <math.h>\nvoid f(int n, double x[n], double y[n]) {"
    " for (int i = 0; i < n; i++) y[i] = exp(x[i]) / 2; }",
}  # fmt: skip
_OPERATIONS = {"product": 1, "gemv": 1, "dot": 1, "layer": 3, "rows": 1, "turned": 1, "halved": 2}
_EXPECTED: dict[str, Callable[..., Array]] = {
    "product": lambda A, B, C: C + A @ B,  # noqa: N803 - the names in the source
    "gemv": lambda A, x, y: y + A @ x,  # noqa: N803 - as above
    "dot": lambda x, y: x @ y,
    "layer": lambda A, B, b: np.maximum(A @ B + b, 0),  # noqa: N803 - as above
    "rows": lambda A: A.sum(axis=1),  # noqa: N803 - as above
    "turned": lambda A: A.T,  # noqa: N803 - as above
    "halved": lambda x: np.exp(x) / 2,
}
_EXTENTS = {"A": (3, 4), "B": (4, 5), "C": (3, 5), "b": (5,), "x": (4,), "y": (3,)}
_ENGINES = ("derive", "sketch", "enumerate")


@cache
def _linalg() -> ImportedDialect:
    definition = source_from_text(_RECORDS.read_text(), "dump.json")
    file = shared("linalg_up.target.json", lambda: import_dump("linalg_up", definition, "canonicalize").to_json())
    return dialect_from_json(file.read_text(), file.name)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with the dialect as a target."""
    file = tmp_path_factory.mktemp("targets") / "linalg_up.target.json"
    file.write_text(_linalg().to_json())
    return str(file)


def _meanings(operation: str) -> list[str]:
    return [" ".join(instance_lines(i)) for i in _linalg().instances if i.operation == f"linalg.{operation}"]


def _lifted(name: str, engine: str, target: str) -> FunctionRecord:
    options = LiftOptions(target=target, engine=engine)
    (record,) = lifted(source_from_text(_SOURCES[name], "f.c"), options).functions
    assert (record.verdict, record.level) == (Verdict.LOOP_FREE, Level.PROVED), record.diagnostics
    return record


def test_the_numbers_of_operands_and_axes_are_what_upstream_takes() -> None:
    operands = "inputs0: f32[inputs0_d0, inputs0_d1], inputs1: f32[inputs0_d1, inputs1_d1]"
    assert _meanings("matmul")[0].startswith(
        f"linalg.matmul({operands}, outputs: f32[inputs0_d0, inputs1_d1]) -> f32[inputs0_d0, inputs1_d1]"
        "   outputs_1(outputs_x0, outputs_x1) = outputs(outputs_x0, outputs_x1) + sum("
    )
    assert len(_meanings("matmul")) == len(_meanings("dot")) == 2
    assert [text.partition(" ->")[0].count("_d") for text in _meanings("add")[:3]] == [3, 6, 9]
    assert all("fill(inputs: f" in text for text in _meanings("fill"))
    assert "outputs: f32[inputs0_d0, outputs_d1, outputs_d2, inputs0_d3]" in _meanings("pooling_nhwc_max")[0]


def test_lists_of_axes_and_factors_are_part_of_an_instance() -> None:
    assert sum("permutation = [1, 0] ->" in text for text in _meanings("transpose")) == 2
    assert any("init_1(init_x0, init_x1) = input(init_x1)" in t for t in _meanings("broadcast") if "[0]" in t)
    assert [("strides = dense<2> : tensor<2xi64>" in t, "2 * outputs_x1" in t) for t in _meanings("pooling_nhwc_max")][
        :3
    ] == [(False, False), (True, True), (False, False)]


def test_a_region_applies_one_operation() -> None:
    (summed,) = [t for t in _meanings("reduce") if "{ arith.addf }" in t and "inits: f64) dimensions = [0, 1]" in t]
    assert "inits_1() = inits() + sum(" in summed
    assert any("{ arith.maximumf }" in t and "= max(inits(" in t for t in _meanings("reduce"))


def test_operations_without_a_meaning_say_why() -> None:
    assert list(_linalg().without) == ["linalg.conv_2d_nhwc_hwcf_q", "linalg.generic"]
    assert "upstream refuses it: custom op" in _linalg().without["linalg.conv_2d_nhwc_hwcf_q"]
    assert _linalg().without["linalg.generic"] == "no value is known for the attribute indexing_maps"


def test_a_target_is_the_same_after_reading_it() -> None:
    again = dialect_from_json(_linalg().to_json(), "t.json").instances
    assert [list(instance_lines(i)) for i in again] == [list(instance_lines(i)) for i in _linalg().instances]
    assert [i.form for i in again] == [i.form for i in _linalg().instances]


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("engine", _ENGINES)
@pytest.mark.parametrize("name", _SOURCES)
def test_programs_lift_by_meanings_alone_and_upstream_runs_them(name: str, engine: str, target: str) -> None:
    program = _lifted(name, engine, target).program
    assert program.count("linalg.") == _OPERATIONS[name], program
    names = program.partition("(")[2].partition(") ->")[0]
    rng = np.random.default_rng(1)
    given = {part.partition(":")[0].strip(" %"): part for part in names.split(", ")}
    shapes = {own: _EXTENTS["x"] if name in ("dot", "halved") else _EXTENTS[own] for own in given}
    arrays = {own: rng.standard_normal(shape) for own, shape in shapes.items()}
    returned = Module(program).function("f")(*arrays.values())
    np.testing.assert_allclose(returned, _EXPECTED[name](**arrays))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("product", "ins(%A, %B :", "ins(%B, %A :"),
        ("product", "outs(%C :", "outs(%A :"),
        ("product", "linalg.matmul ins", "linalg.matmul {strides = dense<2> : tensor<2xi64>} ins"),
        ("product", "linalg.matmul ins", "linalg.batch_matmul ins"),
        ("rows", "{ arith.addf }", "{ arith.mulf }"),
        ("rows", "{ arith.addf }", "{ arith.xori }"),
        ("rows", "dimensions = [1]", "dimensions = [0]"),
        ("rows", " dimensions = [1]", ""),
        ("turned", "permutation = [1, 0]", "permutation = [0, 1]"),
        ("turned", "permutation = [1, 0]", "permutation = [1]"),
        ("rows", "outs(%0", "outs(%empty"),
    ],
)
def test_a_program_that_computes_something_else_is_refused(name: str, old: str, new: str, target: str) -> None:
    certificate = certificate_from_json(_lifted(name, "derive", target).certificate or {})
    assert old in certificate.program
    wrong = certificate.program.replace(old, new)
    if "%empty" in new:
        wrong = wrong.replace("  %0 =", "  %empty = tensor.empty(%n) : tensor<?xf64>\n  %0 =")
    with pytest.raises(CheckFailure):
        check(wrong, certificate.entry, certificate.summary, get_target(target), certificate.cuts)


def test_what_upstream_breaks_down_over_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others beside it are tried again."""

    class Text:
        def __init__(self, body: str) -> None:
            self.body = body

        def text(self, name: str) -> str:
            return f"func.func @{name}() {{ {self.body} return }}\n"

    monkeypatch.setattr(
        windows, "lowered_parts", lambda text, *rest: None if "break" in text else lowered_parts(text, *rest)
    )
    texts: Sequence[Text] = [Text(""), Text("// break\n"), Text("wrong"), Text("")]
    found, said = windows.verified(texts)
    assert found == {0, 3}
    assert said[1] == "mlir-opt broke down"
    assert "wrong" in said[2] or "expected" in said[2]


def test_a_text_of_another_kind_of_form_is_refused(target: str) -> None:
    """The generic form needs a region, which is read by nothing."""
    certificate = certificate_from_json(_lifted("turned", "derive", target).certificate or {})
    wrong = certificate.program.replace("linalg.transpose ins", '"linalg.transpose" ins')
    with pytest.raises(CheckFailure):
        check(wrong, certificate.entry, certificate.summary, get_target(target), certificate.cuts)
