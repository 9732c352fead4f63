"""Matchers over modules: what the listings of the paper on Multi-Level Tactics show, each by what it is about."""

from __future__ import annotations

import pytest
from bench.raising import chain, nest
from bench.tactics import CHAINS

from tensorlift.ir.text import parse_module
from tensorlift.raising.matchers import For, Found, If, Op, Structured, access, load, store
from tensorlift.raising.pipeline import run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.synthesis.tactics.load import load_tactics
from tensorlift.synthesis.tactics.tablegen_text import as_tablegen

_GEMM = nest([("i", "j"), ("i", "k"), ("k", "j")], {"i": 3, "j": 4, "k": 5}, "gemm")
_PRODUCT = Op("arith.mulf", load("A", "i", "k"), load("B", "k", "j"))
_UPDATE = store(Op("arith.addf", _PRODUCT, load("C", "i", "j")), "C", "i", "j")


def found(matcher: For | Op | Structured, text: str) -> list[Found]:
    """Match the operations of a module."""
    return list(matcher.found_in(parse_module(text, "in.mlir")))


def named(one: Found) -> dict[str, str | None]:
    """Return the names that values have in the text."""
    return {name: value.name_hint for name, value in one.values.items()}


# -- structural matchers: nests of loops, with a callback


def test_a_nest_of_three_loops_is_matched_by_its_structure() -> None:
    (one,) = found(For(For(For())), _GEMM)
    assert [op.name for op in one.ops] == ["affine.for"] * 3
    assert len(found(For(), _GEMM)) == 3
    assert not found(For(For(For(For()))), _GEMM)


def test_a_structural_matcher_asks_a_callback_about_the_body() -> None:
    asked = []

    def is_innermost(loop: object) -> bool:
        asked.append(loop)
        return not any(isinstance(inner, type(loop)) for region in loop.regions for inner in region.block.ops)  # type: ignore[attr-defined]  # an operation

    (one,) = found(For(For(For(is_innermost))), _GEMM)
    assert asked == [one.ops[-1]]


def test_conditions_are_part_of_a_structure() -> None:
    text = """func.func @f(%C: memref<8xf64>, %z: f64) {
      affine.for %i = 0 to 8 {
        affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
          affine.store %z, %C[%i] : memref<8xf64>
        }
      }
      return
    }"""
    (one,) = found(For(If(store("z", "C", "i"))), text)
    assert named(one) == {"z": "z", "C": "C"}
    assert not found(If(store("z", "C", "i + 1")), text)


# -- operation matchers


def test_an_operation_matcher_matches_a_tree_of_operations_in_any_order() -> None:
    for update in (_GEMM, _GEMM.replace("addf %C_cell, %product", "addf %product, %C_cell")):
        (one,) = found(Op("arith.addf", load("C", "i", "j"), Op("arith.mulf", load("A", "i", "k"), None)), update)
        assert [op.name for op in one.ops] == ["arith.addf", "affine.load", "arith.mulf", "affine.load"]
    assert not found(Op("arith.subf", None, None), _GEMM)
    assert not found(Op("arith.addf", Op("arith.addf"), None), _GEMM)


def test_a_name_captures_an_operand_and_stands_for_the_same_one_afterwards() -> None:
    text = """func.func @f(%a: f64, %b: f64) -> f64 {
      %s = arith.mulf %a, %a : f64
      %t = arith.mulf %a, %b : f64
      %u = arith.divf %s, %t : f64
      return %u : f64
    }"""
    assert [one.values["x"].name_hint for one in found(Op("arith.mulf", "x", "x"), text)] == ["a"]
    (one,) = found(Op("arith.divf", "square", Op("arith.mulf", "x", "y")), text.replace("%b : f64\n", "%b: f64\n"))[:1]
    assert named(one) == {"square": "s", "x": "a", "y": "b"}


# -- access matchers


def test_access_matchers_bind_arrays_and_indices_of_a_product_of_matrices() -> None:
    (one,) = found(For(For(For(_UPDATE))), _GEMM)
    assert named(one) == {"A": "A", "B": "B", "C": "C"}
    assert {name: value.name_hint for name, value in one.indices.items() if not isinstance(value, int)} == {
        "i": "i",
        "j": "j",
        "k": "k",
    }
    transposed = nest([("i", "j"), ("k", "i"), ("k", "j")], {"i": 3, "j": 4, "k": 5}, "f")
    assert not found(For(For(For(_UPDATE))), transposed)


def test_placeholders_have_coefficients_and_constants() -> None:
    text = """func.func @f(%x: memref<90xf64>, %y: memref<9xf64>) {
      affine.for %i = 0 to 9 {
        %v = affine.load %x[%i * 2 + 1] : memref<90xf64>
        affine.store %v, %y[%i] : memref<9xf64>
      }
      return
    }"""
    (one,) = found(load("x", "s * i + 1"), text)
    assert one.factors == {"s": 2}
    assert found(load("x", "2 * i + 1"), text)
    assert not found(load("x", "2 * i"), text)
    assert not found(load("x", "3 * i + 1"), text)


def test_subscripts_are_read_through_the_arithmetic_that_makes_them() -> None:
    text = """func.func @f(%x: memref<90xf64>, %n: index) -> f64 {
      %two = arith.constant 2 : index
      %m = arith.muli %two, %n : index
      %v = memref.load %x[%m] : memref<90xf64>
      return %v : f64
    }"""
    (one,) = found(load("x", "2 * i"), text)
    assert getattr(one.indices["i"], "name_hint", None) == "n"


# -- Linalg


def test_a_product_of_linalg_is_matched_by_its_accesses_whatever_its_name() -> None:
    product = Structured(access("A", "i", "k"), access("B", "k", "j"), access("C", "i", "j"))
    (one,) = found(product, run_passes(_GEMM, "in.mlir", parse_passes("raise-affine-to-linalg"), guards=False).text)
    assert one.indices == {"i": 0, "j": 1, "k": 2}
    transposed = nest([("i", "j"), ("k", "i"), ("k", "j")], {"i": 3, "j": 4, "k": 5}, "f")
    text = run_passes(transposed, "in.mlir", parse_passes("raise-affine-to-linalg"), guards=False).text
    assert not found(product, text)
    (one,) = found(Structured(access("A", "k", "i"), access("B", "k", "j"), access("C", "i", "j")), text)
    assert one.ops[0].name == "linalg.generic"
    window = nest([("y", "x"), ("y+p", "x+q"), ("p", "q")], {"y": 4, "x": 5, "p": 2, "q": 2}, "f")
    text = run_passes(window, "in.mlir", parse_passes("raise-affine-to-linalg"), guards=False).text
    assert found(Structured(access("I", "y + p", "x + q"), access("W", "p", "q"), access("O", "y", "x")), text)


@pytest.mark.parametrize("extents", CHAINS)
def test_a_chain_of_matrices_is_matched_through_the_memory_between(extents: tuple[int, ...]) -> None:
    matcher = Op("linalg.matmul", "A1", "A2", None)
    for position in range(3, len(extents)):
        matcher = Op("linalg.matmul", matcher, f"A{position}", None)
    (one,) = found(matcher, chain(extents))
    assert named(one) == {f"A{k}": f"A{k}" for k in range(1, len(extents))}
    assert len(one.ops) == len(extents) - 2


def test_memory_that_something_else_writes_between_is_no_chain() -> None:
    head = "linalg.fill ins(%zero : f64) outs(%C"
    text = chain((2, 3, 4, 5)).replace(head, f"linalg.fill ins(%zero : f64) outs(%T1 : memref<2x4xf64>)\n{head}")
    matcher = Op("linalg.matmul", Op("linalg.matmul"), None, None)
    assert found(matcher, chain((2, 3, 4, 5)))
    assert not found(matcher, text)


# -- the languages: a tactic in TDL, and the same in TDS


def test_a_tactic_for_products_of_matrices_is_its_own_builder() -> None:
    (tactic,) = load_tactics("def GEMM {\n  pattern = builder\n    C(i, j) += A(i, k) * B(k, j)\n}", "gemm.tdl")
    text = as_tablegen(tactic.program)
    assert text.startswith('def GEMM : Tactic<"C(i, j) += A(i, k) * B(k, j)", [\n  matmulBuilder<')
    assert text.endswith('Inputs<["A", "B"]>, Outputs<["C"]>>,\n  eraseOpBuilder\n]>;\n')
