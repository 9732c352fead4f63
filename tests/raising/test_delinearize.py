"""Flat memrefs get dimensions where every subscript is proved to stay in them; products of them are raised."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from bench.mlir_in_place import find_blas, load_in_place
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorlift.diagnostics import LiftError
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.polynomial import Polynomial
from tensorlift.raising.dimensions import Dimensions, Place, dimensions_of
from tensorlift.raising.pipeline import Result, run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.runtime.mlir.tools import checked, find_tools

_TOOLS = find_tools()
_COMPILED = pytest.mark.skipif(
    _TOOLS is None or find_blas() is None, reason="upstream MLIR's tools or OpenBLAS are not installed"
)
_BLAS = "delinearize,raise-affine-to-linalg,raise-linalg-to-blas"


def seen(text: str, pipeline: str = "delinearize") -> Result:
    """Run passes, and demand that upstream accepts what comes out."""
    result = run_passes(text, "in.mlir", parse_passes(pipeline), guards=False)
    if _TOOLS is not None:
        checked(result.text, _TOOLS)
    return result


def said(result: Result) -> list[str]:
    """List what the passes said."""
    return [d.message for d in result.diagnostics]


def stores(bounds: list[str], *subscripts: str, array: str = "memref<4096xf64>", more: str = "") -> str:
    """Write a nest of loops ``%i0``, ``%i1`` and so on that stores at subscripts of one array."""
    heads = "".join(f"affine.for %i{k} = {bound} {{\n" for k, bound in enumerate(bounds))
    body = "".join(f"affine.store %one, %A[{subscript}] : {array}\n" for subscript in subscripts)
    return (
        f"func.func @f(%A: {array}, %n: index, %m: index) {{\n%one = arith.constant 1.0 : f64\n"
        f"{heads}{body}{more}{'}' * len(bounds)}\nreturn\n}}\n"
    )


def matmul(extents: tuple[str, str, str], of_type: str) -> str:
    """Write a product of flat matrices; an extent is a number or an argument."""
    n, m, k = extents

    def stride(extent: str) -> str:
        return f"symbol({extent})" if extent.startswith("%") else extent

    sizes = "".join(f", {extent}: index" for extent in dict.fromkeys(extents) if extent.startswith("%"))
    return f"""func.func @f(%A: {of_type}, %B: {of_type}, %C: {of_type}{sizes}) {{
  affine.for %i = 0 to {n} {{
    affine.for %j = 0 to {m} {{
      affine.for %k = 0 to {k} {{
        %a = affine.load %A[%i * {stride(k)} + %k] : {of_type}
        %b = affine.load %B[%k * {stride(m)} + %j] : {of_type}
        %c = affine.load %C[%i * {stride(m)} + %j] : {of_type}
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i * {stride(m)} + %j] : {of_type}
      }}
    }}
  }}
  return
}}
"""


_STATIC, _OPEN = matmul(("12", "12", "12"), "memref<144xf64>"), matmul(("%n", "%m", "%l"), "memref<?xf64>")


@pytest.mark.parametrize("text", [_STATIC, _OPEN], ids=["static", "open"])
def test_a_product_of_flat_matrices_is_raised_to_blas(text: str) -> None:
    assert "linalg.matmul" not in seen(text, "raise-affine-to-linalg").text
    assert seen(text, _BLAS).text.count("func.call @blas_dgemm_nn(") == 1


@_COMPILED
@pytest.mark.parametrize(("text", "sizes"), [(_STATIC, ()), (_OPEN, (3, 4, 5))], ids=["static", "open"])
def test_compiled_both_compute_the_same(text: str, sizes: tuple[int, ...]) -> None:
    n, m, k = sizes or (12, 12, 12)
    rng = np.random.default_rng(3)
    arrays = [rng.standard_normal(count) for count in (n * k, k * m, n * m)]
    results = []
    for form in (text, seen(text, _BLAS).text):
        given_arrays = [array.copy() for array in arrays]
        (call,) = load_in_place(form, "f")
        call(*given_arrays, *sizes)
        results.append(given_arrays[2])
    np.testing.assert_allclose(results[1], results[0], rtol=1e-12)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("text", "of_type", "cell"),
    [
        (stores(["0 to 64", "0 to 64"], "%i0 * 64 + %i1"), "memref<64x64xf64>", "[%i0, %i1]"),
        (stores(["0 to 63", "0 to 64"], "%i0 * 64 + 64 + %i1"), "memref<64x64xf64>", "[%i0 + 1, %i1]"),
        (stores(["0 to 64", "1 to 65"], "%i0 * 64 + %i1 - 1"), "memref<64x64xf64>", "[%i0, %i1 - 1]"),
        (stores(["0 to 64", "0 to 64"], "4032 - %i0 * 64 + %i1"), "memref<64x64xf64>", "[%i0 * -1 + 63, %i1]"),
        (stores(["0 to 64"], "%i0 * 64"), "memref<64x64xf64>", "[%i0, 0]"),
        (
            stores(["0 to 4", "0 to 8", "0 to 128"], "(%i0 * 8 + %i1) * 128 + %i2"),
            "memref<4x8x128xf64>",
            "[%i0, %i1, %i2]",
        ),
        (
            stores(["0 to 30", "0 to 30", "0 to 3", "0 to 3"], "(2 * %i0 + %i2) * 64 + %i1 * 2 + %i3"),
            "memref<64x64xf64>",
            "[%i0 * 2 + %i2, %i1 * 2 + %i3]",
        ),
        (stores(["0 to 64 step 8", "0 to 8"], "(%i0 + %i1) * 64"), "memref<64x64xf64>", "[%i0 + %i1, 0]"),
        (
            stores(["0 to %n", "0 to 64"], "%i0 * 64 + %i1"),  # rows are in memory, as all accesses are
            "memref<64x64xf64>",
            "[%i0, %i1]",
        ),
        (
            stores(["0 to 60", "0 to 64"], "%i0 * 64 + %i1", array="memref<4000xf64>"),
            "memref<62x64xf64>",
            "[%i0, %i1]",
        ),
        (
            stores(["0 to %n", "0 to %m"], "%i0 * symbol(%m) + %i1", array="memref<?xf64>"),
            "memref<?x?xf64>",
            "[%i0, %i1]",
        ),
        (
            stores(["0 to %n"] * 2 + ["0 to %m"], "(%i0 * symbol(%n) + %i1) * symbol(%m) + %i2", array="memref<?xf64>"),
            "memref<?x?x?xf64>",
            "[%i0, %i1, %i2]",
        ),
        (
            stores(["0 to %n"], "%i0 * symbol(%n) + %i0", array="memref<?xf64>"),
            "memref<?x?xf64>",
            "[%i0, %i0]",
        ),
    ],
)  # fmt: skip
def test_subscripts_are_split(text: str, of_type: str, cell: str) -> None:
    result = seen(text)
    assert said(result) == [f"the array A becomes {of_type}"]
    stored = [line.split("], ")[-1] for line in result.text.splitlines() if "affine.store" in line]
    parts = sorted(part.strip() for part in cell.strip("[]").split(","))
    found = sorted(part.strip() for part in stored[0].partition("[")[2].partition("]")[0].split(","))
    assert [sorted(part.split(" + ")) for part in found] == [sorted(part.split(" + ")) for part in parts]


def test_rows_that_no_access_ends_are_a_condition() -> None:
    inner = "1 to affine_map<()[s0] -> (s0 - 1)>()[%n]"
    text = stores([inner, inner], "%i0 * symbol(%n) + %i1", array="memref<?xf64>")
    assert said(seen(text)) == ["the array A becomes memref<?x?xf64>, where it has n*n - n elements"]


_STAYS = "the array A stays as it is: "


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (stores(["0 to 63", "0 to 65"], "%i0 * 64 + %i1"), "its subscripts are not proved to stay inside of rows"),
        (
            stores(["0 to 63", "0 to %n"], "%i0 * 64 + %i1"),
            "its subscripts are not proved to stay inside of rows",
        ),
        (
            stores(["0 to %n", "0 to %n"], "%i0 * symbol(%m) + %i1", array="memref<?xf64>"),
            "its subscripts are not proved to stay inside of rows",
        ),
        (stores(["0 to 64", "0 to 64"], "%i0 * 64 + %i1", "%i0 * 48 + %i1"), "its subscripts are not proved"),
        (stores(["0 to 64", "0 to 64"], "(%i0 floordiv 2) * 64 + %i1"), "a subscript divides"),
        (
            stores(["0 to 2"], *(f"%i0 * {factor}" for factor in range(2, 9))),
            "its subscripts have 7 strides, more than 6",
        ),
        (
            stores(
                ["0 to 64", "0 to 64"], "%i0 * 64 + %i1", more="func.call @look(%A) : (memref<4096xf64>) -> ()\n"
            ).replace("func.func", "func.func private @look(memref<4096xf64>)\nfunc.func", 1),
            "`func.call` uses it as it is",
        ),
    ],
)
def test_what_is_not_proved_stays_and_is_told_why(text: str, reason: str) -> None:
    result = seen(text)
    (message,) = said(result)
    assert message.startswith(_STAYS + reason)
    assert result.text.split() == text.split()


def test_a_product_of_loop_variables_is_no_stride() -> None:
    text = """func.func @f(%A: memref<4096xf64>, %x: f64) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c9 = arith.constant 9 : index
      scf.for %i = %c0 to %c9 step %c1 {
        scf.for %j = %c0 to %c9 step %c1 {
          %p = arith.muli %i, %j : index
          memref.store %x, %A[%p] : memref<4096xf64>
        }
      }
      return
    }"""
    assert said(seen(text)) == [f"{_STAYS}a subscript multiplies two numbers that change"]


def test_index_arithmetic_is_split_as_affine_subscripts_are() -> None:
    text = """func.func @f(%A: memref<?xf64>, %B: memref<?xf64>, %n: index, %m: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %m step %c1 {
          %row = arith.muli %i, %m : index
          %at = arith.addi %row, %j : index
          %column = arith.muli %j, %n : index
          %to = arith.addi %column, %i : index
          %v = memref.load %A[%at] : memref<?xf64>
          memref.store %v, %B[%to] : memref<?xf64>
        }
      }
      return
    }"""
    result = seen(text, "delinearize,raise-affine-to-linalg")
    assert "linalg.transpose ins(%A_2d : memref<?x?xf64>) outs(%B_2d : memref<?x?xf64>)" in result.text
    assert "arith.muli" not in result.text


def test_nests_are_seen_one_by_one_where_they_disagree() -> None:
    rows = stores(["0 to 64", "0 to 64"], "%i0 * 64 + %i1")
    flat = "affine.for %x = 0 to 4096 {\naffine.store %one, %A[%x] : memref<4096xf64>\n}\n"
    inner = rows.partition("f64\n")[2].partition("return")[0]
    text = rows.replace(inner, f"affine.for %t = 0 to 3 {{\n{flat}{inner}}}\n")
    result = seen(text)
    assert said(result) == ["the array A becomes memref<64x64xf64>"]
    assert "%A[%x]" in result.text


def test_an_allocation_whose_every_use_has_dimensions_has_them_itself() -> None:
    text = stores(["0 to 6", "0 to 4"], "%i0 * 4 + %i1", array="memref<24xf64>")
    text = text.replace("%A: memref<24xf64>, ", "").replace("{\n", "{\n%A = memref.alloc() : memref<24xf64>\n", 1)
    result = seen(text.replace("return", "memref.dealloc %A : memref<24xf64>\nreturn"))
    assert "memref.alloc() : memref<6x4xf64>" in result.text
    assert "expand_shape" not in result.text
    (counts,) = (counts for _, counts in result.counts)
    assert counts == {"arrays with dimensions": 1, "accesses rewritten": 1, "allocations with dimensions": 1}


def test_a_chain_of_flat_products_is_reordered() -> None:
    products = "\n".join(
        f"affine.for %i = 0 to 40 {{\naffine.for %j = 0 to {columns} {{\n"
        f"affine.store %zero, {to}[%i * {columns} + %j] : memref<{40 * columns}xf64>\n"
        f"affine.for %k = 0 to {summed} {{\n"
        f"%a = affine.load {left}[%i * {summed} + %k] : memref<{40 * summed}xf64>\n"
        f"%b = affine.load {right}[%k * {columns} + %j] : memref<{summed * columns}xf64>\n"
        f"%c = affine.load {to}[%i * {columns} + %j] : memref<{40 * columns}xf64>\n"
        "%p = arith.mulf %a, %b : f64\n%s = arith.addf %c, %p : f64\n"
        f"affine.store %s, {to}[%i * {columns} + %j] : memref<{40 * columns}xf64>\n}}\n}}\n}}"
        for to, left, right, columns, summed in [("%T", "%A1", "%A2", 30, 20), ("%C", "%T", "%A3", 5, 30)]
    )
    arguments = "%A1: memref<800xf64>, %A2: memref<600xf64>, %A3: memref<150xf64>, %C: memref<200xf64>"
    text = (
        f"func.func @f({arguments}) {{\n%zero = arith.constant 0.0 : f64\n%T = memref.alloc() : memref<1200xf64>\n"
        f"{products}\nmemref.dealloc %T : memref<1200xf64>\nreturn\n}}"
    )
    result = seen(text, "delinearize,raise-affine-to-linalg,reorder-matmul-chain")
    assert "the chain becomes" in "\n".join(said(result))
    assert "memref<20x5xf64>" in result.text


# -- against enumeration


@st.composite
def _places(draw: st.DrawFn) -> tuple[list[dict[str, int]], list[int], dict[str, int], int | None]:
    extents = {f"i{k}": draw(st.integers(1, 4)) for k in range(3)}
    factors = st.sampled_from([0, 1, 1, 2, 3, 4, 4, 8, 12, -4])
    indices = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(extents, factors)), min_size=1, max_size=2))
    constants = [draw(st.integers(0, 13)) for _ in indices]
    return indices, constants, extents, draw(st.none() | st.integers(4, 60))


def _seen(
    indices: list[dict[str, int]], constants: list[int], extents: dict[str, int], length: int | None
) -> Dimensions | None:
    points = Domain.box(extents, (Affine(extent) for extent in extents.values()))
    places = [
        Place(
            Polynomial({(): constant} | {(name,): factor for name, factor in index.items()}),
            points,
            frozenset(extents),
            is_certain=True,
        )
        for index, constant in zip(indices, constants, strict=True)
    ]
    try:
        return dimensions_of(places, length)
    except LiftError:
        return None


def _at(value: Polynomial, point: dict[str, int]) -> int:
    found = value.substitute({name: Polynomial.constant(number) for name, number in point.items()}).constant_value
    assert found is not None
    return found


@settings(max_examples=150, deadline=None)
@given(_places())
def test_dimensions_hold_every_access_that_is_in_memory(
    drawn: tuple[list[dict[str, int]], list[int], dict[str, int], int | None],
) -> None:
    indices, constants, extents, length = drawn
    found = _seen(*drawn)
    if found is None:
        return
    shape = [_at(extent, {}) for extent in found.extents]
    strides = [_at(stride, {}) for stride in found.strides]
    assert strides == [int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
    places = {}
    for index, constant, subscripts in zip(indices, constants, found.subscripts, strict=True):
        for values in product(*map(range, extents.values())):
            point = dict(zip(extents, values, strict=True))
            flat = constant + sum(factor * point[name] for name, factor in index.items())
            places[flat] = [_at(part, point) for part in subscripts]
    is_meaningful = all(0 <= flat < (length or 1 << 30) for flat in places)
    for flat, cell in places.items():
        assert sum(part * stride for part, stride in zip(cell, strides, strict=True)) == flat
        assert not is_meaningful or all(0 <= part < extent for part, extent in zip(cell, shape, strict=True))
    if is_meaningful and found.is_certain:
        assert np.prod(shape) <= (length or max(places) + 1)
