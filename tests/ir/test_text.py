"""A printed module is accepted by upstream mlir-opt and means the same; upstream's output is read in every form."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from tensorlift.diagnostics import LiftError, Location
from tensorlift.ir.location import location_of
from tensorlift.ir.parser import Lexer, LoopParser
from tensorlift.ir.text import functions, parse_module, print_module

MLIR_OPT = next(filter(None, map(shutil.which, ("mlir-opt", "mlir-opt-22"))), None)
needs_mlir_opt = pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
FORMS = [
    [],
    ["--mlir-print-op-generic"],
    ["--mlir-print-debuginfo"],
    ["--mlir-print-debuginfo", "--mlir-print-op-generic"],
    ["--mlir-print-debuginfo", "--mlir-print-local-scope"],
]
EVERYTHING = (Path(__file__).parent / "everything.mlir").read_text()


def mlir_opt(text: str, *flags: str) -> str:
    assert MLIR_OPT is not None
    return subprocess.run([MLIR_OPT, *flags], input=text, capture_output=True, text=True, check=True, timeout=20).stdout


@pytest.mark.in_turns(2)
@needs_mlir_opt
@pytest.mark.parametrize("locations", [False, True])
@pytest.mark.parametrize("flags", FORMS)
def test_upstream_output_survives_reading_and_printing(flags: list[str], *, locations: bool) -> None:
    module = parse_module(mlir_opt(EVERYTHING, *flags), "upstream.mlir")
    shown = (
        ["--mlir-print-debuginfo", "--mlir-print-local-scope"]
        if locations and "--mlir-print-debuginfo" in flags
        else []
    )
    given = mlir_opt(print_module(module, locations=locations), *shown)
    expected = mlir_opt(EVERYTHING, *shown)
    if shown:  # the place of an induction variable is that of its loop
        given, expected = (text.replace("\n", "").split("affine.for")[0] for text in (given, expected))
    assert given == expected


def test_printing_is_stable() -> None:
    once = print_module(parse_module(EVERYTHING, "a.mlir"))
    assert print_module(parse_module(once, "b.mlir")) == once


def test_discardable_attributes_survive_on_every_operation() -> None:
    """Where a custom form would drop them, the generic form is printed."""
    module = parse_module(EVERYTHING, "a.mlir")
    ops = [op for op in module.walk() if op.name not in {"builtin.module", "affine.yield", "scf.yield"}]
    for op in ops:
        op.attributes["tl.mark"] = op.attributes.get("tl.mark", next(iter(functions(module))).properties["sym_name"])
    again = [
        op
        for op in parse_module(print_module(module), "again.mlir").walk()
        if op.name not in {"builtin.module", "affine.yield", "scf.yield"}
    ]
    assert [op.name for op in again] == [op.name for op in ops]
    assert all("tl.mark" in op.attributes for op in again)
    if MLIR_OPT is not None:
        assert mlir_opt(print_module(module)).count("tl.mark") == len(ops)


def test_locations_survive() -> None:
    text = 'func.func @f(%x: f64) -> f64 {\n  return %x : f64 loc("k.c":3:5)\n} loc("k.c":1:8)'
    module = parse_module(print_module(parse_module(text, "k.mlir"), locations=True), "k.mlir")
    (op,) = functions(module)
    assert location_of(op) == Location("k.c", 1, 8)
    last = op.regions[0].block.last_op
    assert last is not None
    assert location_of(last) == Location("k.c", 3, 5)


def test_a_fused_location_gives_its_first_place() -> None:
    text = 'func.func @f() {\n  return\n} loc(fused[unknown, callsite("g"("k.c":4:2) at "k.c":9:1)])'
    (op,) = functions(parse_module(text, "k.mlir"))
    assert location_of(op) == Location("k.c", 4, 2)


_OTHER_TYPE = """func.func @f(%x: f64, %c: i1) {
  %r = scf.while (%v = %x) : (f64) -> f64 {
    scf.condition(%c) %v : f64
  } do {
  ^bb0(%w: i32):
    scf.yield %x : f64
  }
  return
}"""


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("func.func @f() {\n  return\n", "TL190", "bad.mlir:3:1"),
        ("func.func @f() {\n  %x = affine.lod\n}", "TL191", "bad.mlir:2:8"),
        ('func.func @f() {\n  "tosa.add"() : () -> ()\n}', "TL191", "bad.mlir:2:4"),
        ('func.func @f(%x: f64) {\n  return %x : f64 loc("k.c":7:2)\n}', "TL192", "k.c:7:2"),
        (_OTHER_TYPE, "TL192", "bad.mlir:1:1"),
        ("func.func @f(%x: !ml.t) {\n  return\n}", "TL191", "bad.mlir:1:19"),
        ("func.func @f() attributes {\n a = affine_map<(i)[n] -> (i * n)>} {\n return\n}", "TL190", "bad.mlir:2:1"),
        ("func.func @f() {\n  return %x : f64\n}", "TL190", "bad.mlir:3:2"),
    ],
)
def test_a_bad_module_is_refused_with_code_and_place(text: str, code: str, place: str) -> None:
    with pytest.raises(LiftError) as raised:
        parse_module(text, "bad.mlir")
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, str(diagnostic.location)) == (code, place)
    assert diagnostic.remedy


def tokens_of(kind: type[MLIRLexer], text: str) -> list[object]:
    lexer = kind(Input(text, "tokens.mlir"))
    found: list[object] = []
    try:
        while not found or found[-1] != (MLIRTokenKind.EOF, ""):
            token = lexer.lex()
            found.append((token.kind, token.text))
    except ParseError as error:
        found.append(error.msg)
    return found


@given(st.text('a_1.0x -e%$#@!^:,()[]{}<>=+*?/|\n\u00e9\u0663"', max_size=12))
def test_tokens_are_those_of_xdsl(text: str) -> None:
    assert tokens_of(Lexer, text) == tokens_of(MLIRLexer, text)


def test_tokens_of_a_module_are_those_of_xdsl() -> None:
    assert tokens_of(Lexer, EVERYTHING) == tokens_of(MLIRLexer, EVERYTHING)


def read_in(lines: str) -> str:
    text = f"func.func @f(%a: f64, %b: f64, %i: index, %t: i1) {{\n  {lines}\n  return\n}}\n"
    try:
        return print_module(parse_module(text, "numbers.mlir", places=True), locations=True)
    except LiftError as error:
        return str(error)


@pytest.mark.parametrize(
    "lines",
    [
        "%x = arith.mulf %a, %b : f64\n  %y = arith.addf %x, %a : f64",
        "%x = arith.muli %i, %i : index // behind it",
        "%x = arith.andi %t, %t : i1\n  %x = arith.ori %t, %t : i1",  # defined twice
        "%x = arith.mulf %a, %b : f32",  # of another type
        "%x = arith.mulf %i, %i : index",
        "%x = arith.addi %a, %b : f64",
        "%x = arith.andi %i, %i : i3",
        "%x = arith.nothingf %a, %b : f64",
        "%x = arith.maxf %a, %b : f64",  # an old name
        "%x = arith.subf %a, %later : f64",  # never defined
        '%x = arith.subf %a, %b : f64\n  loc("k.c":7:2)',
        '%x = arith.subf %a, %b : f64\n  // a place\n  loc("k.c":7:2)',
        '%x = arith.subf %a, %b : f64 loc("k.c":7:2)',
        "%x:2 = arith.subf %a, %b : f64",
        "%location = arith.subf %a, %b : f64\n  %2 = arith.addf %location, %a : f64",
    ],
)
def test_operations_on_two_numbers_are_read_as_xdsl_reads_them(lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read_in(lines)
    monkeypatch.setattr(LoopParser, "_binary", lambda _self, _position: None)
    assert found == read_in(lines)
