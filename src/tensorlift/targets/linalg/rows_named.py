"""Rows of Linalg's operations, each with samples of every form in which it is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.ir.subscripts import PRODUCTS
from tensorlift.targets.linalg.rows_structured import (
    broadcast,
    contract,
    fill,
    generic,
    index,
    map_,
    named,
    reduce,
    transpose,
)
from tensorlift.targets.target import row, sample

if TYPE_CHECKING:
    from tensorlift.targets.target import Meaning, OpRow, Sample

_TYPES = ("f64", "i32", "f32")

# Extents of the operands of named products to try.
_EXTENTS = {
    "matmul": ("m k", "k n", "m n"),
    "matvec": ("m n", "n", "m"),
    "vecmat": ("m", "m n", "n"),
    "dot": ("n", "n", ""),
    "batch_matmul": ("2 m k", "2 k n", "2 m n"),
    "batch_matvec": ("2 m n", "2 n", "2 m"),
    "batch_vecmat": ("2 m", "2 m n", "2 n"),
    "conv_1d": ("m+n-1", "n", "m"),
    "conv_2d": ("m+n-1 m+1", "n 2", "m m"),
    "conv_3d": ("m+1 m+1 n", "2 2 1", "m m n"),
    "conv_2d_nhwc_hwcf": ("2 m+1 n+1 k", "2 2 k 3", "2 m n 3"),
    "conv_2d_nchw_fchw": ("2 k m+1 n+1", "3 k 2 2", "2 3 m n"),
}


def operands(name: str, types: list[str], *, result: bool = True) -> str:
    """Spell operands ``a``, ``b`` and the rest, the last of which is written over."""
    names = "abcdef"[: len(types)]
    ins = f"ins({', '.join(f'%{n}' for n in names[:-1])} : {', '.join(types[:-1])}) " if len(types) > 1 else ""
    stated = f" -> {types[-1]}" if result else ""
    return f"linalg.{name} {ins}outs(%{names[-1]} : {types[-1]}){stated}"


def _tensor(extents: str, operand: str) -> str:
    listed = "".join(f"{extent if extent.isdigit() else '?'}x" for extent in extents.split())
    return f"tensor<{listed}{{{operand}}}>"


def _spec(dtype: str, extents: str) -> str:
    return f"{dtype}[{', '.join(extents.split())}]"


def _product_samples(name: str, shapes: tuple[str, str, str]) -> tuple[Sample, ...]:
    types = [_tensor(shape, operand) for shape, operand in zip(shapes, "abc", strict=True)]
    text = operands(name, types)
    return tuple(
        sample(text, 1, **{n: _spec(dtype, shape) for n, shape in zip("abc", shapes, strict=True)}) for dtype in _TYPES
    )


def _folding(combiner: str, dtype: str) -> Sample:
    ins, outs = "ins(%a : tensor<?x?x{a}>)", "outs(%b : tensor<?x{b}>)"
    text = f"linalg.reduce {{{{ {combiner} }}}} {ins} {outs} dimensions = [1]"
    return sample(text, a=f"{dtype}[m, n]", b=f"{dtype}[m]")


def _generic(maps: str, iterators: str, operands_: str, body: str, **given: str) -> Sample:
    attributes = f"{{{{indexing_maps = [{maps}], iterator_types = [{iterators}]}}}}"
    text = f"linalg.generic {attributes} {operands_} {{{{\n{body}\n}}}}"
    out = operands_.rpartition(" : ")[2].rstrip(")")
    return sample(f"{text} -> {out}", 1, **given)


_ROW = "affine_map<(d0, d1) -> (d0, d1)>"
_SUMMED = "affine_map<(d0, d1) -> (d0)>"
_PARALLEL = '"parallel", "parallel"'
_GENERICS = (
    _generic(
        f"{_ROW}, affine_map<(d0, d1) -> (d1)>, {_ROW}",
        _PARALLEL,
        "ins(%a, %b : tensor<?x?xf64>, tensor<?xf64>) outs(%c : tensor<?x?xf64>)",
        "^bb0(%x: f64, %y: f64, %z: f64):\n  %0 = arith.mulf %x, %y : f64\n  %1 = arith.addf %0, %z : f64\n"
        "  linalg.yield %1 : f64",
        a="f64[m, n]",
        b="f64[n]",
        c="f64[m, n]",
    ),
    _generic(
        f"{_ROW}, {_SUMMED}",
        '"parallel", "reduction"',
        "ins(%a : tensor<?x?xi32>) outs(%b : tensor<?xi32>)",
        "^bb0(%x: i32, %z: i32):\n  %0 = arith.muli %x, %x : i32\n  %1 = arith.addi %0, %z : i32\n"
        "  linalg.yield %1 : i32",
        a="i32[m, n]",
        b="i32[m]",
    ),
    _generic(
        f"affine_map<(d0, d1) -> (d0 * 2 + d1)>, affine_map<(d0, d1) -> (d1)>, {_SUMMED}",
        '"parallel", "reduction"',
        "ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%c : tensor<?xf32>)",
        "^bb0(%x: f32, %y: f32, %z: f32):\n  %0 = arith.maximumf %z, %x : f32\n  linalg.yield %0 : f32",
        a="f32[m + m + n]",
        b="f32[n]",
        c="f32[m]",
    ),
    _generic(
        "affine_map<(d0, d1) -> (d1, d0)>",
        _PARALLEL,
        "outs(%a : tensor<?x?xf64>)",
        "^bb0(%z: f64):\n  %0 = linalg.index 0 : index\n  %1 = linalg.index 1 : index\n"
        "  %2 = arith.cmpi sle, %0, %1 : index\n  %3 = affine.apply affine_map<(d0)[s0] -> (s0 - d0 - 1)>(%0)[%n]\n"
        "  %4 = tensor.extract %b[%3] : tensor<?xf64>\n  %5 = arith.select %2, %z, %4 : f64\n"
        "  linalg.yield %5 : f64",
        a="f64[m, n]",
        b="f64[n]",
    ),
)


def _product_row(name: str, spec: str, shapes: tuple[str, str, str]) -> OpRow:
    return row(f"linalg.{name}", named(spec), *_product_samples(name, shapes))


def _row(name: str, meaning: Meaning, *samples: Sample) -> OpRow:
    return replace(row(f"linalg.{name}", meaning, *samples), reads_outs=False)


_MAPS = tuple(f"affine_map<(d0, d1, d2) -> ({results})>" for results in ("d2, d0", "d2, d1", "d0, d1"))

ROWS = [
    *(_product_row(name, spec, _EXTENTS[name]) for name, spec in PRODUCTS.items()),
    row(
        "linalg.contract",
        contract,
        *(
            sample(
                f"linalg.contract indexing_maps = [{', '.join(_MAPS)}] "
                "ins(%a, %b : tensor<?x?x{a}>, tensor<?x?x{b}>) outs(%c : tensor<?x?x{c}>) -> tensor<?x?x{c}>",
                a=f"{dtype}[k, m]",
                b=f"{dtype}[k, n]",
                c=f"{dtype}[m, n]",
            )
            for dtype in _TYPES
        ),
    ),
    _row(
        "fill",
        fill,
        sample("linalg.fill ins(%x : {x}) outs(%b : tensor<?x?x{b}>) -> tensor<?x?x{b}>", x="f64[]", b="f64[m, n]"),
        sample("linalg.fill ins(%x : {x}) outs(%b : tensor<?x{b}>) -> tensor<?x{b}>", x="i32[]", b="i32[n]"),
    ),
    _row(
        "transpose",
        transpose,
        sample(
            operands("transpose", ["tensor<?x?x{a}>"] * 2, result=False) + " permutation = [1, 0]",
            a="f64[m, n]",
            b="f64[n, m]",
        ),
        sample(
            operands("transpose", ["tensor<?x?x?x{a}>"] * 2, result=False) + " permutation = [2, 0, 1]",
            a="i32[m, n, k]",
            b="i32[k, m, n]",
        ),
    ),
    _row(
        "broadcast",
        broadcast,
        sample(
            operands("broadcast", ["tensor<?x{a}>", "tensor<?x?x{a}>"], result=False) + " dimensions = [0]",
            a="f64[n]",
            b="f64[m, n]",
        ),
        sample(
            operands("broadcast", ["tensor<?x{a}>", "tensor<?x?x{a}>"], result=False) + " dimensions = [1]",
            a="i32[m]",
            b="i32[m, n]",
        ),
    ),
    _row(
        "map",
        map_,
        sample(
            "linalg.map {{ arith.subf }} ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>) outs(%c : tensor<?x?xf64>)",
            a="f64[m, n]",
            b="f64[m, n]",
            c="f64[m, n]",
        ),
        sample("linalg.map {{ math.exp }} ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>)", a="f32[n]", b="f32[n]"),
        sample(
            "linalg.map {{ arith.muli }} ins(%a, %a : tensor<?xi32>, tensor<?xi32>) outs(%b : tensor<?xi32>)",
            a="i32[n]",
            b="i32[n]",
        ),
    ),
    row(
        "linalg.reduce",
        reduce,
        *(_folding(op, "f64") for op in ("arith.addf", "arith.mulf", "arith.maximumf", "arith.minimumf")),
        *(_folding(op, "i32") for op in ("arith.addi", "arith.muli", "arith.maxsi", "arith.minsi")),
        *(_folding(op, "f32") for op in ("arith.maxnumf", "arith.minnumf")),
        *(_folding(op, "bool") for op in ("arith.ori", "arith.andi")),
        "linalg.reduce {{ arith.addf }} ins(%a : tensor<?x?xf64>) outs(%b : tensor<?xf64>) dimensions = [0]",
        a="f64[m, n]",
        b="f64[n]",
    ),
    row("linalg.generic", generic, *_GENERICS),
    _row(
        "index",
        index,
        _generic(
            "affine_map<(d0) -> (d0)>",
            '"parallel"',
            "outs(%a : tensor<?xi64>)",
            "^bb0(%z: i64):\n  %0 = linalg.index 0 : index\n  %1 = arith.index_cast %0 : index to i64\n"
            "  linalg.yield %1 : i64",
            a="i64[n]",
        ),
    ),
]
