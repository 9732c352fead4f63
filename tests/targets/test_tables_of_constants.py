"""Tables of constants are arrays of programs: bound once, compared cell by cell, and refused where anything differs."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.lifts import lifted

from tensorlift.cli import main
from tensorlift.pipeline import LiftOptions, verify
from tensorlift.proofs.certificate import seal_of
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

SUMS = """static const double W[12] = {0.5, 1, 1e-3, 2.25, 1e300, -0.0, 7, 8, 9, 10, 0.1, 12};
void f(int n, const double x[restrict n], double y[restrict n]) {
  for (int i = 0; i < n - 11; i++) {
    y[i] = 0;
    for (int k = 0; k < 12; k++) y[i] += W[k] * x[i + k];
  }
}
"""
LOOKUP = """static const int P[8] = {3, 1, 4, 1, 5, 9, 2, 6};
void f(int n, const int t[restrict n], int y[restrict n]) {
  for (int i = 0; i < n; i++) y[i] = P[t[i]];
}
"""
IN_ROWS = """static const int M[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, -2147483647 - 1}};
void f(int y[restrict 3][4]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) y[i][j] += M[i][j];
}
"""
CELLS = "0.5, 1.0, 0.001, 2.25, 1e+300, -0.0, 7.0, 8.0, 9.0, 10.0, 0.1, 12.0"
IN_MLIR = f"dense<[{CELLS.replace('1e+300', '1.0e+300')}]> : tensor<12xf64>"
BOUND = {
    "numpy": f"W = np.array(\n        [{CELLS}],\n        dtype=np.float64,\n    )\n",
    "jax": f"W = jnp.array(\n        [{CELLS}],\n        dtype=jnp.float64,\n    )\n",
    "torch": f"W = torch.tensor(\n        [{CELLS}],\n        dtype=torch.float64,\n        device=x.device,\n    )\n",
    "c": f"static const double W[12] = {{{CELLS}}};\n",
    "stablehlo": f"%W = stablehlo.constant {IN_MLIR}\n",
    "linalg": f"%W = arith.constant {IN_MLIR}\n",
}
_ROWS = "[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, -2147483648]]"


def _certificate(source: str, target: str) -> dict[str, Any]:
    (function,) = json.loads(lifted(source_from_text(source), LiftOptions(target=target)).to_json())["functions"]
    certificate: dict[str, Any] = copy.deepcopy(function["certificate"])
    return certificate


def _holds(certificate: dict[str, Any], **changes: object) -> bool:
    changed = {**certificate, **changes}
    return not verify({**changed, "seal": seal_of(changed)})


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("target", BOUND)
def test_each_target_binds_a_table(target: str) -> None:
    certificate = _certificate(SUMS, target)
    assert BOUND[target] in certificate["program"]
    assert _holds(certificate)


@pytest.mark.parametrize("target", BOUND)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("7.0, 8.0", "7.0, 8.5"),
        ("7.0, 8.0", "8.0, 7.0"),
        ("-0.0", "0.0"),
        ("0.1, ", "0.10000000000000002, "),
        ("0.1, 12.0", "0.1"),
        ("12.0", "12.0, 0.0"),
        ("0.5, ", "0x40, "),
        ("9.0", "9"),
        ("2.25", "x"),
    ],
)
def test_no_other_cells_hold(target: str, old: str, new: str) -> None:
    certificate = _certificate(SUMS, target)
    program = certificate["program"]
    before, after = program[: program.index("0.5, ")], program[program.index("0.5, ") :]
    if new == "9" and target in {"c", "linalg"}:  # the same number in C; MLIR itself refuses it
        assert _holds(certificate, program=before + after.replace(old, new, 1))
    else:
        assert not _holds(certificate, program=before + after.replace(old, new, 1))


@pytest.mark.parametrize(
    ("target", "old", "new"),
    [
        ("numpy", "np.float64", "np.float32"),
        ("numpy", "W = np.array(", "V = np.array("),
        ("numpy", "dtype=np.float64", "ndmin=2, dtype=np.float64"),
        ("jax", "jnp.float64", "jnp.float32"),
        ("torch", "torch.float64", "torch.float32"),
        ("torch", "device=x.device", "device=x"),
        ("torch", "device=x.device", "device=x.device, requires_grad=True"),
        ("c", "static const double W", "static const float W"),
        ("c", "static const double W[12]", "static double W[12]"),
        ("c", "static const double W[12]", "static const double W[13]"),
        ("c", "static const double W[12]", "static const double *W"),
        ("c", "double sum = 0.0;", "static double sum = 0.0;"),
        ("c", "double sum = 0.0;", "static const double sum = 0.0;"),
        ("stablehlo", "%W = ", "%V = "),
        ("stablehlo", "]> : tensor<12xf64>", "]> : tensor<3x4xf64>"),
        ("stablehlo", "]> : tensor<12xf64>", "]> : tensor<12xf32>"),
        ("linalg", "]> : tensor<12xf64>", "]> : tensor<12xf32>"),
    ],
)
def test_no_other_name_type_or_extent_holds(target: str, old: str, new: str) -> None:
    certificate = _certificate(SUMS, target)
    assert old in certificate["program"]
    assert not _holds(certificate, program=certificate["program"].replace(old, new, 1))


@pytest.mark.parametrize(("cell", "is_right"), [("64.0", True), ("0x40", False), ("0x4050000000000000", False)])
def test_bits_are_not_read_as_integers(cell: str, *, is_right: bool) -> None:
    certificate = _certificate("void f(double y[restrict 4]) { for (int i = 0; i < 4; i++) y[i] = 64.0; }", "linalg")
    body = f"  %c = arith.constant dense<{cell}> : tensor<4xf64>\n  return %c : tensor<4xf64>\n"
    assert _holds(certificate, program=f"func.func @f() -> tensor<4xf64> {{\n{body}}}\n", cuts=[]) == is_right


def test_a_table_that_a_program_in_c_writes_does_not_hold() -> None:
    certificate = _certificate(SUMS, "c")
    program = certificate["program"].replace("sum += W[k]", "W[k] += 1.0;\n      sum += W[k]")
    assert program != certificate["program"]
    assert not _holds(certificate, program=program)


@pytest.mark.parametrize("target", ["numpy", "jax", "torch", "c", "stablehlo", "linalg"])
def test_rows_keep_their_order(target: str) -> None:
    certificate = _certificate(IN_ROWS, target)
    program = certificate["program"]
    flat = program.replace("{", "[").replace("}", "]").replace("(-2147483647 - 1)", "-2147483648")
    assert _ROWS in " ".join(flat.split()).replace("[ [", "[[").replace("], ]", "]]")
    assert _holds(certificate)
    first, second = ("{1, 2, 3, 4}", "{5, 6, 7, 8}") if target == "c" else ("[1, 2, 3, 4]", "[5, 6, 7, 8]")
    swapped = program.replace(first, "|").replace(second, first).replace("|", second)
    assert not _holds(certificate, program=swapped)


def test_a_table_is_read_at_places_that_are_data() -> None:
    (function,) = lifted(source_from_text(LOOKUP), LiftOptions()).functions
    assert "return P[t]\n" in function.program
    assert "0 <= t < 8" in _certificate(LOOKUP, "numpy")["preconditions"]
    names: dict[str, Any] = {}
    exec(function.program, names)
    np.testing.assert_array_equal(names["f"](np.array([7, 0, 2, 5], np.int32)), np.array([6, 3, 4, 9], np.int32))


def test_a_table_that_is_written_is_refused() -> None:
    source = LOOKUP.replace("y[i] = P[t[i]]", "((int *)P)[i] = t[i]")
    (function,) = lifted(source_from_text(source), LiftOptions()).functions
    assert not function.program


def test_a_few_cells_and_cells_that_are_all_alike_are_no_table() -> None:
    alike = SUMS.replace("0.5, 1, 1e-3, 2.25, 1e300, -0.0, 7, 8, 9, 10, 0.1, 12", ", ".join(["2.5"] * 12))
    assert "W" not in _certificate(alike, "numpy")["program"]
    few = (
        SUMS.replace("12", "3")
        .replace("11", "2")
        .replace("0.5, 1, 1e-3, 2.25, 1e300, -0.0, 7, 8, 9, 10, 0.1, 3", "1, 2, 4")
    )
    assert "W" not in _certificate(few, "numpy")["program"]


@pytest.mark.parametrize("target", ["linalg", "torch", "c"])
def test_tables_of_types_and_cells_that_not_all_targets_have_lift(target: str) -> None:
    source = """static const unsigned short U[10] = {65535, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    void f(int y[restrict 10]) { for (int i = 0; i < 10; i++) y[i] += U[i]; }
    """
    assert _holds(_certificate(source, target))
    source = source.replace("unsigned short", "float").replace("65535", "1.0f / 0.0f").replace("int y", "float y")
    assert _holds(_certificate(source, target))


def test_contents_of_a_certificate_are_those_of_the_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, other, path = tmp_path / "f.c", tmp_path / "g.c", tmp_path / "certificate.json"
    file.write_text(IN_ROWS, encoding="utf-8")
    other.write_text(IN_ROWS.replace("10", "12"), encoding="utf-8")
    certificate = _certificate(IN_ROWS, "numpy")

    def status(source: Path, **changes: object) -> int:
        changed = {**certificate, **changes}
        path.write_text(json.dumps({**changed, "seal": seal_of(changed)}), encoding="utf-8")
        return main(["verify", str(path), "--source", str(source)])

    assert status(file) == 0
    digest = source_from_text(other.read_text(encoding="utf-8")).sha256
    assert status(other, source_sha256=digest) == 1
    changed = copy.deepcopy(certificate["summary"])
    (table,) = (row for row in changed["arrays"] if row[0] == "M")
    table[-1][9] = "12"
    program = certificate["program"].replace("10", "12")
    assert _holds(certificate, summary=changed, program=program)
    capsys.readouterr()
    assert status(file, summary=changed, program=program) == 1
    assert "has other definitions" in capsys.readouterr().err
    for row in changed["arrays"]:
        row[4:] = []
    assert not _holds(certificate, summary=changed)
