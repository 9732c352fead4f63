"""MLIR outside the subset is refused with code, place and remedy, and never with a traceback."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from tensorlift.diagnostics import Diagnostic, LiftError, Location, Severity
from tensorlift.frontends.mlir.refusals import REFUSALS
from tensorlift.languages.mlir import read_mlir
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import source_from_text

HEAD = """func.func private @g(memref<?xf64>)
func.func @f(%A: memref<?xf64>, %n: index, %k: i32, %x: f64, %b: i1) {
"""
TAIL = "\n  return\n}\n"


class Refused(NamedTuple):
    """A body of the function above that is refused; lines count from the line after its head."""

    name: str
    code: str
    line: int
    column: int
    body: str


BODIES = [
    Refused("semi-affine", "TL190", 1, 28, "%p = affine.load %A[%n * %n] : memref<?xf64>"),
    Refused(
        "reinterpret",
        "TL196",
        2,
        1,
        "%s = memref.subview %A[1] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1], offset: 1>>\n"
        "%r = memref.reinterpret_cast %s to offset: [0], sizes: [3], strides: [1] : "
        "memref<?xf64, strided<[1], offset: 1>> to memref<3xf64>",
    ),
    Refused("call", "TL150", 1, 1, "func.call @g(%A) : (memref<?xf64>) -> ()"),
    Refused("choice of arrays", "TL196", 1, 3, "  %s = arith.select %b, %A, %A : memref<?xf64>"),
    Refused("vector of unknown length", "TL145", 1, 1, "%z = vector.broadcast %x : f64 to vector<[4]xf64>"),
    Refused("long vector", "TL145", 1, 1, "%z = vector.broadcast %x : f64 to vector<16x32xf64>"),
    Refused("mask", "TL191", 1, 6, "%m = vector.create_mask %n : vector<4xi1>"),
    Refused("atomic", "TL194", 1, 24, "%v = memref.atomic_rmw addf %x, %A[%n] : (f64, memref<?xf64>) -> f64"),
    Refused("rounding", "TL190", 1, 1, '%r = "arith.truncf"(%x) {roundingmode = 3 : i32} : (f64) -> f32'),
    Refused("loop without signs", "TL190", 1, 1, "scf.for %i = %n to %n step %n {\n} {unsignedCmp}"),
    Refused("barrier", "TL191", 1, 1, "omp.barrier"),
    Refused(
        "parallel reduction",
        "TL195",
        1,
        1,
        '%r = affine.parallel (%i) = (0) to (10) reduce ("assign") -> (f64) {\n  affine.yield %x : f64\n}',
    ),
    Refused(
        "parallel reduction of nothing",
        "TL192",
        1,
        1,
        '%r = affine.parallel (%i) = (0) to (10) reduce ("addf") -> (f64) {\n}',
    ),
    Refused("zero step", "TL121", 2, 1, "%c0 = arith.constant 0 : index\nscf.for %i = %c0 to %n step %c0 {\n}"),
    Refused(
        "dimension out of range",
        "TL196",
        2,
        1,
        "%c = arith.constant 3 : index\n%d = memref.dim %A, %c : memref<?xf64>",
    ),
    Refused(
        "copy within one array",
        "TL196",
        3,
        1,
        "%s = memref.subview %A[1] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1], offset: 1>>\n"
        "%t = memref.subview %A[0] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1]>>\n"
        "memref.copy %s, %t : memref<?xf64, strided<[1], offset: 1>> to memref<?xf64, strided<[1]>>",
    ),
    Refused("global", "TL196", 1, 1, "%g = memref.get_global @w : memref<4xf64>"),
    Refused("conversion", "TL194", 1, 1, "%y = builtin.unrealized_conversion_cast %n : index to i64"),
    Refused("region", "TL195", 1, 1, "scf.execute_region {\n  cf.br ^bb1\n^bb1:\n  cf.br ^bb1\n}"),
]
# Bodies that the program computes, each with what it computes of `%A[%i]`.
LIFTED = {
    "index from a number": "%c = arith.fptosi %x : f64 to i32\n%i = arith.index_cast %c : i32 to index",
    "carried index": (
        "%c0 = arith.constant 0 : index\n"
        "%i = affine.for %j = 0 to %n iter_args(%a = %c0) -> (index) {\n  affine.yield %a : index\n}"
    ),
    "variable divisor": "%i = arith.floordivsi %n, %n : index",
    "minimum": "%i = affine.min affine_map<(d0) -> (d0, 4)>(%n)",
    "constant that wraps": (
        "%c = arith.constant 300 : i32\n%t = arith.trunci %c : i32 to i8\n%i = arith.index_cast %t : i8 to index"
    ),
    "index from a branch": (
        "%c0 = arith.constant 0 : index\n"
        "%i = scf.if %b -> (index) {\n  scf.yield %c0 : index\n} else {\n  scf.yield %n : index\n}"
    ),
}
PLACES = {"index from a number": 3, "carried index": 0, "variable divisor": 1, "minimum": 2, "constant that wraps": 44}
MODULES = [
    ("nothing", "TL104", ""),
    ("no body", "TL104", "func.func private @g(f64)"),
    ("other text", "TL190", "int main() { return 0; }"),
    ("bytes", "TL190", "\0"),
    ("unranked", "TL145", "func.func @f(%A: memref<*xf64>) {\n  return\n}"),
    ("vectors", "TL145", "func.func @f(%A: memref<4xvector<4xf64>>) {\n  return\n}"),
    ("complex", "TL145", "func.func @f(%A: memref<4xcomplex<f64>>) {\n  return\n}"),
    ("tensor", "TL145", "func.func @f(%A: tensor<*xf64>) {\n  return\n}"),
    ("quarter", "TL145", "func.func @f(%A: memref<4xf8E5M2>) {\n  return\n}"),
    (
        "vector",
        "TL145",
        (
            "func.func @f(%v: vector<4xi32>) -> vector<4xi1> {\n"
            "  %c = arith.cmpi slt, %v, %v {own = 1 : i32} : vector<4xi32>\n  return %c : vector<4xi1>\n}"
        ),
    ),
    ("unsigned type", "TL145", "func.func @f(%A: memref<4xui8>) {\n  return\n}"),
    ("stride of zero", "TL197", "func.func @f(%A: memref<4x4xf64, strided<[0, 1]>>) {\n  return\n}"),
    ("folded", "TL197", "func.func @f(%A: memref<4x5xf64, affine_map<(d0, d1) -> (d0 * 4 + d1)>>) {\n  return\n}"),
    ("diagonals", "TL197", "func.func @f(%A: memref<4x4xf64, affine_map<(d0, d1) -> (d0 + d1)>>) {\n  return\n}"),
    (
        "part returned",
        "TL198",
        (
            "func.func @f(%A: memref<4xf64>) -> memref<3xf64, strided<[1]>> {\n"
            "  %s = memref.subview %A[0] [3] [1] : memref<4xf64> to memref<3xf64, strided<[1]>>\n"
            "  return %s : memref<3xf64, strided<[1]>>\n}"
        ),
    ),
    ("two results", "TL198", "func.func @f(%a: f64) -> (f64, f64) {\n  return %a, %a : f64, f64\n}"),
    ("recursion", "TL118", "func.func @f(%a: f64) {\n  func.call @f(%a) : (f64) -> ()\n  return\n}"),
    ("wide integer", "TL145", "func.func @f(%a: i128) {\n  return\n}"),
]


def refused(text: str) -> Diagnostic:
    """Give the first diagnostic of the function, or of the whole file."""
    try:
        (function,) = read_mlir(text, "k.mlir", function="f")
    except LiftError as error:
        return error.diagnostics[0]
    assert function.module is None
    return function.diagnostics[0]


@pytest.mark.parametrize("case", BODIES, ids=lambda case: case.name)
def test_a_body_is_refused_at_its_place(case: Refused) -> None:
    diagnostic = refused(HEAD + case.body + TAIL)
    assert diagnostic.code == case.code, diagnostic
    assert diagnostic.location == Location("k.mlir", case.line + 2, case.column)
    assert diagnostic.severity is Severity.ERROR
    assert len(diagnostic.remedy) > 10


@pytest.mark.parametrize("name", LIFTED)
def test_an_index_that_is_computed_is_lifted(name: str) -> None:
    head = HEAD.replace("@f(", "@f(%B: memref<1xf64>, ")
    body = f"{LIFTED[name]}\n%v = memref.load %A[%i] : memref<?xf64>\naffine.store %v, %B[0] : memref<1xf64>"
    options = LiftOptions(("f",), generalise=False)
    (function,) = lift_source(source_from_text(head + body + TAIL, "k.mlir"), options).functions
    assert (function.level, function.definitions) == (Level.PROVED, Level.PROVED), function.diagnostics
    given = {"B": np.zeros(1), "A": np.arange(100.0), "n": 2, "k": 0, "x": 3.5, "b": False}
    scope: dict[str, Any] = {}
    exec(function.program, scope)
    found = scope["f"](**{p.name: given[p.name] for p in function.parameters if p.name in given})
    assert found == PLACES.get(name, 2)


@pytest.mark.parametrize(("code", "text"), [row[1:] for row in MODULES], ids=[row[0] for row in MODULES])
def test_a_module_is_refused(code: str, text: str) -> None:
    diagnostic = refused(text)
    assert diagnostic.code == code, diagnostic
    assert diagnostic.location is not None
    assert diagnostic.remedy


def test_a_function_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(LiftError, match="no function `h`; the module defines f"):
        read_mlir("func.func @f() {\n  return\n}", "k.mlir", function="h")


def test_a_module_of_great_length_is_refused() -> None:
    with pytest.raises(LiftError, match="TL106"):
        read_mlir("// long\n" * 1_000_000, "k.mlir")


def test_one_function_that_is_refused_leaves_the_others() -> None:
    text = "func.func @f(%a: i128) {\n  return\n}\nfunc.func @h(%a: f64) -> f64 {\n  return %a : f64\n}\n"
    first, second = read_mlir(text, "k.mlir")
    assert first.module is None
    assert second.module is not None


UNREAD = [
    '"odd.op"() : () -> ()',
    '"odd.op"() ({ "odd.yield"() : () -> () }) {a = "}"} : () -> ()',
    "odd.op %a : f64",
    "%0 = odd.op %a { // }\n  } : f64",
    "%0 = vector.odd %a : f64 to vector<4xf64>",
    "%t = tensor.empty() : tensor<2xf64>\n  %0 = tensor.bitcast %t : tensor<2xf64> to tensor<2xi64>",
    "%0 = math.odd %a : f64",
    "%0 = arith.addf %a, %a : !odd.type",
    '%0 = "arith.addf"(%a) : (f64) -> f64',
    "gpu.barrier",
    "%0 = spirv.GL.Exp %a : f64",
    "func.call @f(%a) : (f64) -> () odd",
]
GOOD = "func.func @h(%a: f64) -> f64 {\n  return %a : f64\n}\n"


@pytest.mark.parametrize("body", UNREAD)
@pytest.mark.parametrize("shape", ["{f}{h}", "{h}{f}", "module {{\n{h}{f}{k}}}\n", "module {{\n{f}{k}{h}}}\n"])
def test_a_function_that_cannot_be_read_leaves_the_others(body: str, shape: str) -> None:
    unread = "func.func @f(%a: f64 {odd = 1}) {\n  " + body + "\n  return\n}\n"
    caller = "func.func @k(%a: f64) {\n  func.call @f(%a) : (f64) -> ()\n  return\n}\n"
    text = shape.format(f=unread, h=GOOD, k=caller)
    found = {function.name: function for function in read_mlir(text, "k.mlir")}
    assert (found["f"].module, found["h"].module is None) == (None, False)
    assert found["f"].diagnostics[0].location is not None
    assert "k" not in found or found["k"].module is None
    assert [one.name for one in read_mlir(text, "k.mlir", function="f")] == ["f"]


@pytest.mark.parametrize(
    "text",
    [
        "odd\n" + GOOD * 2,
        GOOD.replace("return", "return %b : f64\n  return"),
        "func.func @f() {\n" + GOOD,
        "func.func @f() {\n}}\n" + GOOD,
    ],
)
def test_text_outside_of_functions_refuses_the_module(text: str) -> None:
    with pytest.raises(LiftError):
        read_mlir(text, "k.mlir")


def test_every_reason_but_depth_is_met_above() -> None:
    met = {case.code for case in BODIES} | {code for _, code, _ in MODULES} | {"TL105", "TL106"}
    assert {row.code for reason, row in REFUSALS.items() if reason != "depth"} <= met
