"""MLIR that is read literally: what the reader says, what it refuses, and that it runs as compiled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.literal_mlir import answers

from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import function_named
from tensorlift.ir.text import parse_module, print_module
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.reading import literal_module
from tensorlift.runtime.mlir.tools import checked, find_tools
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_TOOLS = find_tools()
_NEEDS_TOOLS = pytest.mark.skipif(_TOOLS is None, reason="upstream MLIR is not installed")
_CONSTRUCTS = Path(__file__).parent / "constructs.mlir"


def _literal(text: str) -> ModuleOp:
    return literal_module(read_functions(source_from_text(text, "f.mlir"), LiftOptions(generalise=False))[-1])


def _lines(text: str, operation: str) -> list[str]:
    return [line.strip() for line in print_module(_literal(text)).splitlines() if operation in line]


@_NEEDS_TOOLS
def test_each_construct_runs_as_compiled() -> None:
    found = answers(str(_CONSTRUCTS), _CONSTRUCTS.read_text(encoding="utf-8"))
    assert found == ["equal"] * 14


@_NEEDS_TOOLS
def test_upstream_reads_the_constructs_as_they_are_printed() -> None:
    assert _TOOLS is not None
    checked(print_module(parse_module(_CONSTRUCTS.read_text(encoding="utf-8"), "f.mlir")), _TOOLS)


@_NEEDS_TOOLS
def test_upstream_accepts_literal_ir() -> None:
    assert _TOOLS is not None
    for function in read_functions(source_from_text(_CONSTRUCTS.read_text(encoding="utf-8"), "f.mlir"), LiftOptions()):
        module = literal_module(function)
        module.verify()
        checked(print_module(module), _TOOLS)


def test_a_memref_is_memory_an_offset_strides_and_the_sizes_that_are_asked_for() -> None:
    text = """func.func @f(%A: memref<?x?x4xf32>, %x: memref<?xi1, strided<[?], offset: ?>>) -> index {
      %c1 = arith.constant 1 : index
      %n = memref.dim %A, %c1 : memref<?x?x4xf32>
      return %n : index
    }"""
    function = function_named(_literal(text), "f")
    names = [mark.data["tl.name"].data for mark in function.arg_attrs or ()]  # type: ignore[attr-defined]  # strings
    assert names == ["A", "A offset", "A.0 row", "A.1 row", "x", "x offset", "x.0 row", "A.1 size"]
    assert [str(argument.type) for argument in function.body.blocks[0].args] == [
        *("memref<?xf32>", "i64", "i64", "i64", "memref<?xi1>", "i64", "i64", "i64")
    ]


def test_arithmetic_wraps_unless_it_is_flagged_and_affine_expressions_do_not() -> None:
    text = """func.func @f(%x: memref<?xi64>, %n: index, %i: i64) {
      %a = arith.addi %i, %i : i64
      %b = arith.muli %a, %i overflow<nsw, nuw> : i64
      %k = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%n]
      affine.store %b, %x[%k] : memref<?xi64>
      return
    }"""
    assert "%0 = arith.addi %i, %i : i64" in print_module(_literal(text)).replace("%a", "%0").replace("%1", "%0")
    products = _lines(text, "muli")
    assert ["overflow<nsw,nuw>" in products[0], "overflow<nsw>" in products[1]] == [True, True]


def test_a_loop_stands_where_its_operation_does() -> None:
    text = (
        "func.func @f(%x: memref<?x?xf64>, %n: index, %z: f64) {\n  affine.parallel (%i, %j) = (0, 0) to (%n, %n) {\n"
    )
    text += "    affine.store %z, %x[%i, %j] : memref<?x?xf64>\n  }\n  return\n}"
    lines = print_module(_literal(text), locations=True).splitlines()
    entries = [line for line in lines if "cf.br" in line and "nsw" not in line and ":2:3" in line]
    assert len(entries) == 4  # two entries, two that go on


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%m = arith.bitcast %a : f64 to i64", "`arith.bitcast` is not lifted"),
        ("memref.dealloc %x : memref<?xf64>", "`memref.dealloc` of an argument frees the caller's memory"),
        (
            "%e = memref.expand_shape %x [[0, 1]] output_shape [2, 4] : memref<?xf64> into memref<2x4xf64>",
            "`memref.expand_shape` changes the shape of an array",
        ),
    ],
)
def test_what_is_not_on_the_list_is_refused(body: str, message: str) -> None:
    text = f"func.func @f(%x: memref<?xf64>, %a: f64) {{\n  {body}\n  return\n}}"
    (function,) = parse_module(text, "f.mlir", places=True).ops
    from tensorlift.readers.mlir import literal_module_of  # noqa: PLC0415 - the front end refuses it first

    with pytest.raises(LiftError) as refusal:
        literal_module_of(function, {})
    assert message in refusal.value.diagnostics[0].message
