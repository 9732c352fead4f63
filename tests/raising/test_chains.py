"""Matrix chains in MLIR: the orders of the tactics' paper, and what is no chain."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bench.mlir_in_place import find_blas, load_in_place
from bench.raising import chain
from bench.tactics import CHAINS

from tensorlift.raising.pipeline import Result, run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.runtime.mlir.tools import checked, find_tools
from tensorlift.synthesis.tactics.chains import chain_order, parenthesised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TOOLS = find_tools()
_COMPILED = pytest.mark.skipif(
    _TOOLS is None or find_blas() is None, reason="upstream MLIR's tools or OpenBLAS are not installed"
)

# The orders that the paper on Multi-Level Tactics gives.
_PAPER = ("A1 @ (A2 @ (A3 @ A4))", "(A1 @ (A2 @ (A3 @ A4))) @ A5", "A1 @ ((((A2 @ A3) @ A4) @ A5) @ A6)")


def reordered(text: str) -> Result:
    """Reorder the chains of a module."""
    return run_passes(text, "in.mlir", parse_passes("reorder-matmul-chain"), guards=False)


def order_in(text: str) -> str:
    """Read the order of a chain off its products."""
    made: dict[str, str] = {}
    for left, right, result in re.findall(r"linalg.matmul ins\(%(\w+), %(\w+) :.*outs\(%(\w+)", text):
        parts = [made.get(name, name) for name in (left, right)]
        made[result] = " @ ".join(f"({part})" if " " in part else part for part in parts)
    return made["C"]


@pytest.mark.parametrize(("extents", "order"), list(zip(CHAINS, _PAPER, strict=True)), ids=["4", "5", "6"])
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


def test_a_chain_that_adds_to_the_last_array_is_reordered() -> None:
    text = chain((50, 3, 4, 2)).replace("linalg.fill ins(%zero : f64) outs(%C : memref<50x2xf64>)\n", "")
    result = reordered(text)
    assert order_in(result.text) == "A1 @ (A2 @ A3)"
    assert not re.search(r"linalg.fill .*outs\(%C", result.text)


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
    result = run_passes(text, "in.mlir", parse_passes("raise-affine-to-linalg,reorder-matmul-chain"), guards=False)
    assert order_in(result.text) == "A1 @ (A2 @ A3)"


# -- sizes that are not known


def sized_chain(extents: Sequence[int | str]) -> str:
    """Write the product of matrices from left to right as loops; an extent may be an argument."""
    last = len(extents) - 2
    sizes = [extent for extent in dict.fromkeys(extents) if isinstance(extent, str)]
    spelled = [f"%{extent}" if extent in sizes else str(extent) for extent in extents]

    def of(rows: int, columns: int) -> str:
        listed = ("?" if extents[k] in sizes else extents[k] for k in (rows, columns))
        return f"memref<{'x'.join(map(str, listed))}xf64>"

    arguments = [f"%A{k + 1}: {of(k, k + 1)}" for k in range(last + 1)]
    arguments += [f"%C: {of(0, last + 1)}", *(f"%{size}: index" for size in sizes)]
    lines = [f"func.func @chain({', '.join(arguments)}) {{", "%zero = arith.constant 0.0 : f64"]
    left = "%A1"
    for k in range(1, last + 1):
        to, type_ = ("%C" if k == last else f"%T{k}"), of(0, k + 1)
        given = ", ".join(spelled[j] for j in (0, k + 1) if extents[j] in sizes)
        lines += [f"{to} = memref.alloc({given}) : {type_}"] * (k < last)
        lines.append(
            f"affine.for %i = 0 to {spelled[0]} {{\naffine.for %j = 0 to {spelled[k + 1]} {{\n"
            f"affine.store %zero, {to}[%i, %j] : {type_}\naffine.for %k = 0 to {spelled[k]} {{\n"
            f"%a = affine.load {left}[%i, %k] : {of(0, k)}\n%b = affine.load %A{k + 1}[%k, %j] : {of(k, k + 1)}\n"
            f"%c = affine.load {to}[%i, %j] : {type_}\n%x = arith.mulf %a, %b : f64\n"
            f"%y = arith.addf %c, %x : f64\naffine.store %y, {to}[%i, %j] : {type_}\n}}\n}}\n}}"
        )
        left = to
    lines += [f"memref.dealloc %T{k} : {of(0, k + 1)}" for k in range(1, last)]
    return "\n".join([*lines, "return", "}"]) + "\n"


def guarded(extents: Sequence[int | str], more: str = "") -> Result:
    """Raise a chain and reorder it, and demand that upstream accepts what comes out."""
    passes = parse_passes(f"raise-affine-to-linalg,reorder-matmul-chain{more}")
    result = run_passes(sized_chain(extents), "in.mlir", passes, guards=False)
    if _TOOLS is not None:
        checked(result.text, _TOOLS)
    return result


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("extents", "orders"),
    [
        (("p", "q", "r", "s"), 2),
        (("p", "q", "r", "s", "t"), 5),
        (("p", 20, 30, 5), 2),
        (("p", "p", "p", "p", "s"), 3),
    ],
)
def test_a_guard_chooses_among_orders_of_which_none_is_always_better(
    extents: tuple[int | str, ...], orders: int
) -> None:
    result = guarded(extents)
    assert result.text.count("scf.if") == orders - 1
    assert result.text.count("arith.cmpi slt") == orders - 1
    assert result.text.count("linalg.matmul") == orders * (len(extents) - 2)


_ANY = "memref<?x?xf64>"


def open_chain(count: int, *, zero_first: bool) -> str:
    """Write the product of so many matrices in Linalg, over memrefs whose types leave all extents open."""
    zeroed = f"linalg.fill ins(%zero : f64) outs(%C : {_ANY})"
    matrices = ", ".join(f"%A{k + 1}: {_ANY}" for k in range(count))
    lines = [f"func.func @chain({matrices}, %C: {_ANY}) {{", "%zero = arith.constant 0.0 : f64"]
    lines += ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", *([zeroed] if zero_first else [])]
    left = "%A1"
    for k in range(1, count):
        to = "%C" if k == count - 1 else f"%T{k}"
        if k < count - 1:
            lines += [f"%n{k} = memref.dim %A1, %c0 : {_ANY}", f"%m{k} = memref.dim %A{k + 1}, %c1 : {_ANY}"]
            lines += [f"{to} = memref.alloc(%n{k}, %m{k}) : {_ANY}", zeroed.replace("%C", to)]
        elif not zero_first:
            lines.append(zeroed)
        lines.append(f"linalg.matmul ins({left}, %A{k + 1} : {_ANY}, {_ANY}) outs({to} : {_ANY})")
        left = to
    return "\n".join([*lines, "return", "}"]) + "\n"


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("zero_first", [False, True])
@pytest.mark.parametrize(("count", "orders"), [(3, 2), (4, 5)])
def test_a_guard_chooses_for_memrefs_of_open_extents(count: int, orders: int, *, zero_first: bool) -> None:
    result = reordered(open_chain(count, zero_first=zero_first))
    assert result.text.count("scf.if") == orders - 1
    assert result.text.count("linalg.matmul") == orders * (count - 1)
    if _TOOLS is not None:
        checked(result.text, _TOOLS)


@_COMPILED
@pytest.mark.parametrize("shape", [(2, 9, 3, 8), (9, 2, 8, 3)])
def test_compiled_a_chain_of_open_extents_computes_the_product(shape: tuple[int, ...]) -> None:
    (call,) = load_in_place(reordered(open_chain(3, zero_first=True)).text, "chain")
    rng = np.random.default_rng(6)
    matrices = [rng.standard_normal(pair) for pair in itertools.pairwise(shape)]
    result = np.empty((shape[0], shape[-1]))
    call(*matrices, result)
    np.testing.assert_allclose(result, np.linalg.multi_dot(matrices))


@_COMPILED
@pytest.mark.parametrize("shape", [(2, 9, 3, 8), (9, 2, 8, 3)])
def test_compiled_a_chain_adds_to_the_last_array_in_every_order(shape: tuple[int, ...]) -> None:
    text = re.sub(r"linalg.fill [^\n]* outs\(%C [^\n]*\n", "", open_chain(3, zero_first=True))
    changed = reordered(text).text
    assert "scf.if" in changed
    (call,) = load_in_place(changed, "chain")
    rng = np.random.default_rng(6)
    matrices = [rng.standard_normal(pair) for pair in itertools.pairwise(shape)]
    result = np.ones((shape[0], shape[-1]))
    call(*matrices, result)
    np.testing.assert_allclose(result, np.linalg.multi_dot(matrices) + 1)


def test_extents_that_the_operations_demand_to_be_equal_need_not_be_one_value() -> None:
    text = open_chain(4, zero_first=False).replace("%C: memref<?x?xf64>)", f"%C: {_ANY}, %n1: index, %n2: index)")
    text = "\n".join(line for line in text.splitlines() if not re.match("%n[12] =", line))
    (diagnostic,) = reordered(text).diagnostics
    assert diagnostic.message.startswith("the chain becomes scf.if, linalg.fill, linalg.matmul, where ")


def test_an_order_that_is_always_better_needs_no_guard() -> None:
    result = guarded(("p", "p", "p", 1))
    assert result.text.count("linalg.matvec") == 2
    assert "linalg.matmul" not in result.text
    assert "scf.if" not in result.text


def test_where_no_size_makes_another_order_better_the_chain_stays() -> None:
    result = guarded(("p", "p", "p", "p"))
    assert result.diagnostics[-1].message.endswith("no order has fewer multiplications")


def test_a_chain_of_too_many_matrices_for_a_guard_takes_sizes_as_large() -> None:
    result = guarded(("p", "q", "r", "s", "t", "u", "v", "w", 2))
    assert "scf.if" not in result.text
    assert result.text.count("linalg.matmul") == 7
    assert "x2xf64" in result.text.partition("linalg.matmul")[2].partition("\n")[0]


@_COMPILED
@pytest.mark.parametrize("extents", [("p", "q", "r", "s"), ("p", 3, "r", 4, "t")])
def test_compiled_every_choice_computes_the_product(extents: tuple[int | str, ...]) -> None:
    (call,) = load_in_place(guarded(extents, ",raise-linalg-to-blas").text, "chain")
    rng = np.random.default_rng(5)
    for shift in range(len(extents)):
        numbers = [1 + (position + shift) % len(extents) * 2 for position in range(len(extents))]
        shape = [extent if isinstance(extent, int) else number for extent, number in zip(extents, numbers, strict=True)]
        matrices = [rng.standard_normal(pair) for pair in itertools.pairwise(shape)]
        result = np.empty((shape[0], shape[-1]))
        call(*matrices, result, *(n for extent, n in zip(extents, shape, strict=True) if isinstance(extent, str)))
        np.testing.assert_allclose(result, np.linalg.multi_dot(matrices))


def multiplications_at(text: str, sizes: dict[str, int]) -> int:
    """Follow the guards of a reordered chain at sizes, and count the multiplications of the products that run."""
    known: dict[str, int] = {f"%{name}": size for name, size in sizes.items()}
    shapes: dict[str, list[int]] = {}
    total, skipped = 0, [False]  # for each region around whether it is left out
    compute: dict[str, Callable[..., int]] = {
        "muli": lambda a, b: a * b,
        "addi": lambda a, b: a + b,
        "cmpi slt,": lambda a, b: a < b,
        "cmpi eq,": lambda a, b: a == b,
        "select": lambda a, b, c: b if a else c,
    }
    for line in text.splitlines():
        if found := re.search(r"(%\w+) = arith.constant (\d+) : index", line):
            known[found[1]] = int(found[2])
        elif found := re.search(rf"(%\w+) = arith.({'|'.join(compute)}) (.*) : index", line):
            known[found[1]] = int(compute[found[2]](*(known[name] for name in found[3].split(", "))))
        elif found := re.search(r"scf.if (%\w+)", line):
            skipped.append(skipped[-1] or not known[found[1]])
            before = known[found[1]]
        elif "} else {" in line:
            skipped[-1] = skipped[-2] or bool(before)
        elif line.strip() == "}" and len(skipped) > 1:
            skipped.pop()
        elif found := re.search(r"(%\w+) = memref.(?:alloc|subview %\w+\[0, 0\] )[(\[](.*?)[)\]]", line):
            shapes[found[1]] = [known[name] for name in found[2].split(", ")]
        elif (found := re.search(r"linalg.matmul ins\((%\w+), (%\w+)", line)) and not skipped[-1]:
            total += shapes[found[1]][0] * shapes[found[1]][1] * shapes[found[2]][1]
    return total


@pytest.mark.parametrize("count", [3, 4])
def test_the_guard_chooses_the_order_with_the_fewest_multiplications(count: int) -> None:
    names = "pqrst"[: count + 1]
    text = guarded(tuple(names)).text
    rng = np.random.default_rng(7)
    for _ in range(60):
        extents = [int(extent) for extent in rng.integers(1, 40, count + 1)]
        assert multiplications_at(text, dict(zip(names, extents, strict=True))) == chain_order(extents).cost
