"""The first half of the proof for MLIR: what is decided, and literal IR of other sources, of which none is taken."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.first_half import Subject, decide, subjects

from tensorlift.comprehension import terms
from tensorlift.deep import with_deep_stack
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.poly.affine import affine
from tensorlift.poly.domain import UNIVERSE
from tensorlift.proofs.source.claims import Claims
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.comprehension.state import Effect

_PROGRAMS = sorted((Path(__file__).parents[2] / "bench" / "mlir_programs").glob("*.mlir"))


def _subject(text: str) -> Subject:
    found = dict(with_deep_stack(partial(subjects, source_from_text(text, "f.mlir")))).popitem()[1]
    assert isinstance(found, Subject), found
    return found


def _literal(text: str) -> ModuleOp:
    def read() -> ModuleOp:
        function = read_functions(source_from_text(text, "f.mlir"), LiftOptions())[-1]
        assert function.literally is not None
        return function.literally()

    return with_deep_stack(read)


def _answer(subject: Subject, literal: ModuleOp | None = None) -> str:
    return with_deep_stack(partial(decide, subject, literal))


@pytest.mark.parametrize("path", _PROGRAMS, ids=lambda path: path.stem)
def test_programs_are_decided(path: Path) -> None:
    assert _answer(_subject(path.read_text(encoding="utf-8"))) == "decided"


def _made(size: str) -> str:
    return (
        "func.func @f(%x: memref<?xf64>, %n: index, %m: index) -> memref<?xf64> {\n"
        f"  %a = memref.alloc({size}) : memref<?xf64>\n  %z = arith.constant 0.0 : f64\n"
        "  affine.for %i = 0 to %n {\n    memref.store %z, %a[%i] : memref<?xf64>\n  }\n"
        "  return %a : memref<?xf64>\n}\n"
    )


def _function(head: str, body: str, *, returns: str = "") -> str:
    arrow = f" -> {returns}" if returns else ""
    return f"func.func @f({head}){arrow} {{\n{body}\n}}"


_ROWS = "%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index, %m: index"
_LINE = "%x: memref<?xf64>, %y: memref<?xf64>, %n: index"
_WHOLE = "%x: memref<?xi32>, %y: memref<?xi32>, %n: index"


def _rows(load: str, store: str, *, outer: str = "0 to %n", inner: str = "0 to %m") -> str:
    return _function(
        _ROWS,
        f"""affine.for %i = {outer} {{
  affine.for %j = {inner} {{
    %a = affine.load %A[{load}] : memref<?x?xf64>
    affine.store %a, %B[{store}] : memref<?x?xf64>
  }}
}}
return""",
    )


def _line(body: str, *, head: str = _LINE, of: str = "f64", bound: str = "0 to %n") -> str:
    return _function(
        head,
        f"""affine.for %i = {bound} {{
  %a = affine.load %x[%i] : memref<?x{of}>
  {body}
  affine.store %b, %y[%i] : memref<?x{of}>
}}
return""",
    )


def _fixed(extent: int, bound: int) -> str:
    return _function(
        f"%x: memref<{extent}xf64>, %z: f64",
        f"affine.for %i = 0 to {bound} {{\n  affine.store %z, %x[%i] : memref<{extent}xf64>\n}}\nreturn",
    )


def _parallel(first: str, second: str) -> str:
    return _function(
        "%A: memref<?x?xf64>, %n: index, %m: index",
        f"""affine.parallel (%i, %j) = (0, 1) to (%{first}, symbol(%{second})) {{
  %a = affine.load %A[%i, %j] : memref<?x?xf64>
  %b = arith.addf %a, %a : f64
  affine.store %b, %A[%i, %j] : memref<?x?xf64>
}}
return""",
    )


def _scf(bound: str) -> str:
    return _function(
        "%x: memref<?xf64>, %n: index, %z: f64",
        f"""%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
{bound}
scf.for %i = %c0 to %k step %c1 {{
  memref.store %z, %x[%i] : memref<?xf64>
}}
return""",
    )


def _beside(body: str) -> str:
    """A loop that hands a number on, beside an array with a closed form."""
    return _function(
        f"%z: memref<?xi32>, {_WHOLE}",
        f"""%one = arith.constant 1 : i32
%r = affine.for %i = 0 to %n iter_args(%s = %one) -> (i32) {{
  %a = affine.load %x[%i] : memref<?xi32>
  %c = affine.load %z[%i] : memref<?xi32>
  %t = arith.xori %s, %c : i32
  {body}
  affine.store %b, %y[%i] : memref<?xi32>
  affine.yield %t : i32
}}
return %r : i32""",
        returns="i32",
    )


def _buffers(first: str, second: str, returned: str) -> str:
    return _function(
        "%n: index, %u: f64, %v: f64",
        f"""%p = memref.alloc(%n) : memref<?xf64>
%q = memref.alloc(%n) : memref<?xf64>
affine.for %i = 0 to %n {{
  affine.store %{first}, %p[%i] : memref<?xf64>
  affine.store %{second}, %q[%i] : memref<?xf64>
}}
return {returned} : memref<?xf64>, memref<?xf64>""",
        returns="(memref<?xf64>, memref<?xf64>)",
    )


def _part(offset: int) -> str:
    return _function(
        _LINE,
        f"""%p = memref.subview %x[{offset}] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1], offset: {offset}>>
%q = memref.subview %y[0] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1]>>
memref.copy %p, %q : memref<?xf64, strided<[1], offset: {offset}>> to memref<?xf64, strided<[1]>>
return""",
    )


def _total(start: str, step: str) -> str:
    return _function(
        "%x: memref<?xf64>, %n: index",
        f"""%r = affine.parallel (%i) = (0) to (%n) reduce ("{start}") -> (f64) {{
  %a = affine.load %x[%i{step}] : memref<?xf64>
  affine.yield %a : f64
}}
return %r : f64""",
        returns="f64",
    )


_AN_EVEN = "affine_map<(d0) -> (d0 mod 2)>(%i)"
_ODDS = "%k = affine.apply {}\n  %v = arith.index_cast %k : index to i32\n  %b = arith.addi %a, %v : i32"


@pytest.mark.parametrize(
    ("definitions", "literal"),
    [
        pytest.param(_rows("%i, %j", "%i, %j"), _rows("%j, %i", "%i, %j"), id="a transposed access"),
        pytest.param(_rows("%i, %j", "%i, %j"), _rows("%i, %j", "%i, %j", inner="1 to %m"), id="a later start"),
        pytest.param(_rows("%i, %j", "%i, %j"), _rows("%i, %j", "%i, %j", outer="0 to %m"), id="another bound"),
        pytest.param(_rows("%i, %j", "%i, %j"), _rows("%i, %j", "%i, %j", outer="0 to %n step 2"), id="another step"),
        pytest.param(
            _rows("%i, %j", "%i, %j"), _rows("%i, %j", "%i, %j + 1"), id="the next cell, of the next row at last"
        ),
        pytest.param(_fixed(8, 8), _fixed(8, 7), id="another constant that became a size"),
        pytest.param(_parallel("n", "m"), _parallel("m", "n"), id="the bounds of a nest the other way round"),
        pytest.param(
            _line("%b = arith.mulf %a, %a : f64"), _line("%b = arith.addf %a, %a : f64"), id="another operation"
        ),
        pytest.param(
            _line("%b = arith.divsi %a, %a : i32", head=_WHOLE, of="i32"),
            _line("%b = arith.divui %a, %a : i32", head=_WHOLE, of="i32"),
            id="another sign",
        ),
        pytest.param(
            _line(_ODDS.format(_AN_EVEN), head=_WHOLE, of="i32"),
            _line(_ODDS.format("affine_map<(d0) -> (d0 mod 3)>(%i)"), head=_WHOLE, of="i32"),
            id="another rest",
        ),
        pytest.param(
            _scf("%k = arith.subi %n, %c1 : index"),
            _scf("%k = arith.addi %n, %c1 : index"),
            id="a bound beyond the end",
        ),
        pytest.param(
            _scf("%k = arith.addi %n, %c0 : index"),
            _scf("%t = arith.index_cast %n : index to i16\n%k = arith.index_cast %t : i16 to index"),
            id="a bound of fewer bits",
        ),
        pytest.param(
            _scf("%k = arith.addi %n, %c1 : index"),
            _scf("%c = arith.constant 65537 : index\n%k = arith.muli %n, %c : index"),
            id="a bound that may wrap around",
        ),
        pytest.param(
            _buffers("u", "v", "%p, %q"),
            _buffers("u", "v", "%p, %q").replace("return", "memref.dealloc %q : memref<?xf64>\nreturn"),
            id="freed memory that is returned",
        ),
        pytest.param(
            _buffers("u", "v", "%p, %q"),
            _buffers("u", "v", "%p, %q").replace("affine.store %v, %q[%i] : memref<?xf64>", ""),
            id="returned memory in which nothing is stored",
        ),
        pytest.param(
            _beside("%b = arith.addi %a, %a : i32"), _beside("%b = arith.addi %a, %s : i32"), id="what is handed on"
        ),
        pytest.param(
            _beside("%b = arith.addi %a, %a : i32"), _beside("%b = arith.muli %a, %a : i32"), id="another closed form"
        ),
        pytest.param(
            _buffers("u", "v", "%p, %q"), _buffers("u", "v", "%q, %p"), id="returned memory the other way round"
        ),
        pytest.param(
            _buffers("u", "v", "%p, %q"), _buffers("v", "u", "%p, %q"), id="other contents of what is returned"
        ),
        pytest.param(_part(1), _part(2), id="another part of memory"),
        pytest.param(_made("%n"), _made("%m"), id="returned memory of another size"),
        pytest.param(_total("addf", ""), _total("mulf", ""), id="another reduction"),
        pytest.param(_total("addf", ""), _total("addf", " + 1"), id="a reduction over other cells"),
    ],
)
def test_other_literal_ir_is_not_taken(definitions: str, literal: str) -> None:
    subject = _subject(definitions)
    assert _answer(subject, subject.module) == "decided"
    assert _answer(subject, _literal(literal)).startswith("undecided")


def test_claims_beside_a_loop_that_stays_are_not_believed() -> None:
    subject = _subject(_beside("%b = arith.addi %a, %a : i32"))
    ((header, claim),) = subject.claims.loops.items()
    assert claim.item is not None
    ((domain, _),) = claim.states["y"]
    cell = terms.read("x", (affine("y_x0"),), "i32")
    wrong: Effect = {"y": [(domain, cell)]}
    everywhere: Effect = {"y": [(UNIVERSE, terms.apply("add", cell, cell))]}
    nothing: Effect = {}
    for states in (wrong, everywhere, nothing):
        claims = Claims({header: replace(claim, states=states)})
        assert _answer(subject._replace(claims=claims)).startswith("undecided")


def test_a_source_of_other_constants_than_the_sizes_stand_for_has_no_meaning_here() -> None:
    subject = _subject(_fixed(8, 8))
    assert subject.view.generalised == {"n": 8}
    assert _answer(subject) == "decided"
    assert _answer(subject, _literal(_fixed(9, 9))).startswith("undecided")
