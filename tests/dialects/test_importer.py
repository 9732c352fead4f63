"""Dialects from IRDL and affine lowerings: meanings, and why an operation has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.diagnostics import LiftError
from tensorlift.dialects.meanings import import_irdl
from tensorlift.dialects.table import table
from tensorlift.source import read_source, source_from_text
from tensorlift.targets.imported.record import dialect_from_json

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.targets.imported.record import ImportedDialect

_DEFINITION = """irdl.dialect @toy {
  irdl.operation @twice {
    %tensor = irdl.base "!builtin.tensor"
    irdl.operands(x: %tensor)
    irdl.results(y: %tensor)
  }
}
"""
_TWICE = """func.func @toy.twice(%x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %y[%i] : memref<?xf64>
  }
  return
}
"""
_OLD = "    %c = affine.load %y[%i] : memref<?xf64>\n    %b"
_RUNNING = """  affine.for %i = 1 to %n {
    %a = affine.load %y[%i - 1] : memref<?xf64>
    %b = math.sin %a : f64
    affine.store %b, %y[%i] : memref<?xf64>
  }
  return
"""


def _imported(definition: str = _DEFINITION, lowering: str = _TWICE) -> ImportedDialect:
    return import_irdl(
        "toy", source_from_text(definition, "toy.irdl.mlir"), source_from_text(lowering, "toy.lowerings.mlir")
    )


def _refusal(definition: str = _DEFINITION, lowering: str = _TWICE) -> str:
    with pytest.raises(LiftError) as refused:
        _imported(definition, lowering)
    (diagnostic,) = refused.value.diagnostics
    place = "" if diagnostic.location is None else f"{diagnostic.location.line}:{diagnostic.location.column}: "
    return f"{place}{diagnostic.code} {diagnostic.message}"


def test_an_operation_means_what_its_lowering_computes() -> None:
    assert table(_imported()) == "toy.twice(x: f64[x_d0]) -> f64[x_d0]\n  y_1(y_x0) = x(y_x0) + x(y_x0)\n"


def test_an_operand_that_is_written_is_read_before() -> None:
    in_place = _TWICE.replace(", %y: memref<?xf64>", "").replace("%y[", "%x[")
    assert "x_1(x_x0) = x(x_x0) + x(x_x0)" in table(_imported(lowering=in_place))


def test_operands_on_which_loops_meet_have_equal_extents() -> None:
    both = _DEFINITION.replace("(x: %tensor)", "(x: %tensor, z: %tensor)")
    lowering = (
        _TWICE.replace("%y: memref", "%z: memref<?xf64>, %y: memref")
        .replace("%a, %a", "%a, %c")
        .replace("    %b =", "    %c = affine.load %z[%i] : memref<?xf64>\n    %b =")
    )
    assert table(_imported(both, lowering)).startswith("toy.twice(x: f64[x_d0], z: f64[x_d0]) -> f64[x_d0]\n")


@pytest.mark.parametrize(
    ("definition", "lowering", "reason"),
    [
        (_DEFINITION.replace("(y: %tensor)", "()"), _TWICE, "it has another number of results than one"),
        (_DEFINITION.replace("x: %", "x: variadic %"), _TWICE, "it has optional or repeated operands or results"),
        (
            _DEFINITION.replace("    irdl.res", '    irdl.attributes {"axis" = %tensor}\n    irdl.res'),
            _TWICE,
            "it has attributes",
        ),
        (
            _DEFINITION.replace('irdl.base "!builtin.tensor"', "irdl.is tensor<?xf32>"),
            _TWICE,
            "its definition has no x of the type tensor<?xf64>",
        ),
        (_DEFINITION, _TWICE.replace("%x: memref<?xf64>, ", "").replace("%x", "%y"), ""),
        (_DEFINITION, _TWICE.replace("%a, %a", "%a, %c").replace("    %b", _OLD), "its result depends on what y held"),
        (_DEFINITION, _TWICE.replace("  return\n", _RUNNING), "its lowering keeps a loop"),
        (_DEFINITION, _TWICE.replace("%x: memref", "%z: memref<?xf64>, %x: memref"), "its lowering takes 3 arrays"),
    ],
)  # fmt: skip
def test_an_operation_without_a_meaning_is_listed_with_the_reason(definition: str, lowering: str, reason: str) -> None:
    if not reason:
        assert "y_1(y_x0)" in table(_imported(definition, lowering))
        return
    message = _refusal(definition, lowering)
    assert message.startswith("TL536 no operation of 'toy.irdl.mlir' could be given a meaning (toy.twice: ")
    assert reason in message


def test_some_operations_may_have_no_meaning() -> None:
    more = _DEFINITION.replace("@toy {", "@toy {\n  irdl.operation @fence { irdl.results() }")
    assert table(_imported(more)).endswith("toy.fence: no meaning: it has another number of results than one\n")


def test_a_definition_that_is_none_is_refused() -> None:
    message = _refusal("irdl.dialect @toy {\n  irdl.operation @")
    assert message.startswith("2:")
    assert "TL534 'toy.irdl.mlir' is no definition of a dialect: " in message
    assert _refusal("builtin.module {}").endswith("it defines 0 dialects")


def test_a_lowering_of_no_operation_is_refused() -> None:
    message = _refusal(lowering=_TWICE.replace("toy.twice", "toy.thrice"))
    assert message == "1:1: TL535 'toy.irdl.mlir' defines no operation 'toy.thrice'"


def test_the_same_dialect_gives_the_same_bytes_and_is_read_back() -> None:
    text = _imported().to_json()
    assert _imported().to_json() == text
    again = dialect_from_json(text, "toy.target.json")
    assert table(again) == table(_imported())


def test_the_example_is_what_its_definition_gives(root: Path, update: bool) -> None:  # noqa: FBT001 - a fixture
    folder = root / "examples"
    parts = [read_source(str(folder / f"accel.{part}.mlir")) for part in ("irdl", "lowerings")]
    text = import_irdl("accel", *parts).to_json().replace(f"{folder}/", "examples/")
    file = folder / "accel.target.json"
    if update:
        file.write_text(text)
    assert text == file.read_text()


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"target": 9}', '{"target": 1, "name": "x"}'])
def test_a_file_that_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(LiftError, match="'x' is no target") as refused:
        dialect_from_json(text, "x")
    assert refused.value.diagnostics[0].code == "TL533"
