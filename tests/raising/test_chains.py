"""Matrix chains in MLIR: the orders of the tactics' paper, and what is no chain."""

from __future__ import annotations

import re

import pytest
from bench.raising import chain
from bench.tactics import CHAINS

from tensorlift.raising.pipeline import Result, parse_passes, run_passes
from tensorlift.synthesis.tactics.chains import chain_order, parenthesised

# The orders that the paper on Multi-Level Tactics gives.
_PAPER = ("A1 @ (A2 @ (A3 @ A4))", "(A1 @ (A2 @ (A3 @ A4))) @ A5", "A1 @ ((((A2 @ A3) @ A4) @ A5) @ A6)")


def reordered(text: str) -> Result:
    """Reorder the chains of a module."""
    return run_passes(text, "in.mlir", parse_passes("reorder-matmul-chain"))


def order_in(text: str) -> str:
    """Read the order of a chain off its products."""
    made: dict[str, str] = {}
    for left, right, result in re.findall(r"linalg.matmul ins\(%(\w+), %(\w+) :.*outs\(%(\w+)", text):
        parts = [made.get(name, name) for name in (left, right)]
        made[result] = " @ ".join(f"({part})" if " " in part else part for part in parts)
    return made["C"]


@pytest.mark.parametrize(("extents", "order"), zip(CHAINS, _PAPER, strict=True), ids=["4", "5", "6"])
def test_the_chains_of_the_paper_get_its_orders(extents: tuple[int, ...], order: str) -> None:
    result = reordered(chain(extents))
    assert order_in(result.text) == order
    assert parenthesised(chain_order(extents).tree, [f"A{k + 1}" for k in range(len(extents) - 1)]) == order
    assert "linalg.generic" not in result.text


def test_a_chain_in_the_cheapest_order_stays() -> None:
    text = chain((2, 3, 4, 50))
    result = reordered(text)
    assert order_in(result.text) == "(A1 @ A2) @ A3"
    assert [d.message for d in result.diagnostics] == ["the chain stays as it is: no order has fewer multiplications"]


@pytest.mark.parametrize(
    "between",
    [
        "%c = memref.load %T1[%zero_index, %zero_index] : memref<50x4xf64>",
        "linalg.fill ins(%zero : f64) outs(%A1 : memref<50x3xf64>)",
        "func.call @look(%T1) : (memref<50x4xf64>) -> ()",
    ],
)
def test_what_is_read_or_written_between_is_no_chain(between: str) -> None:
    head = "func.func private @look(memref<50x4xf64>)\n"
    text = chain((50, 3, 4, 2)).replace("%zero =", "%zero_index = arith.constant 0 : index\n%zero =", 1)
    text = text.replace("linalg.fill ins(%zero : f64) outs(%C", f"{between}\nlinalg.fill ins(%zero : f64) outs(%C")
    result = reordered(head + text)
    assert order_in(result.text) == "(A1 @ A2) @ A3"
    assert result.diagnostics == ()


def test_chains_of_loops_are_raised_first() -> None:
    nests = "\n".join(
        f"affine.for %i = 0 to 40 {{\naffine.for %j = 0 to {columns} {{\n"
        f"affine.store %zero, {to}[%i, %j] : memref<40x{columns}xf64>\n"
        f"affine.for %k = 0 to {summed} {{\n"
        f"%a = affine.load {left}[%i, %k] : memref<40x{summed}xf64>\n"
        f"%b = affine.load {right}[%k, %j] : memref<{summed}x{columns}xf64>\n"
        f"%c = affine.load {to}[%i, %j] : memref<40x{columns}xf64>\n"
        "%p = arith.mulf %a, %b : f64\n%s = arith.addf %c, %p : f64\n"
        f"affine.store %s, {to}[%i, %j] : memref<40x{columns}xf64>\n}}\n}}\n}}"
        for to, left, right, columns, summed in [("%T", "%A1", "%A2", 30, 20), ("%C", "%T", "%A3", 5, 30)]
    )
    arguments = "%A1: memref<40x20xf64>, %A2: memref<20x30xf64>, %A3: memref<30x5xf64>, %C: memref<40x5xf64>"
    text = (
        f"func.func @f({arguments}) {{\n%zero = arith.constant 0.0 : f64\n"
        f"%T = memref.alloc() : memref<40x30xf64>\n{nests}\nmemref.dealloc %T : memref<40x30xf64>\nreturn\n}}"
    )
    result = run_passes(text, "in.mlir", parse_passes("raise-affine-to-linalg,reorder-matmul-chain"))
    assert order_in(result.text) == "A1 @ (A2 @ A3)"
