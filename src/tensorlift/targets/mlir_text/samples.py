"""Samples of rows as whole programs: sizes and types are put into a sample's text, and a function around it.

In the text ``{m + 1}`` stands for a number and ``{a}`` for the element type of the operand ``a``; braces are doubled.
Where extents are open, sizes are parameters of the function.

Operands of samples: what ``a="number[m, n]"`` stands for.
"""

from __future__ import annotations

import re
from string import Formatter
from types import MappingProxyType
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DYNAMIC_INDEX

from tensorlift.comprehension.tensor import SymbolicTensor, array, size
from tensorlift.poly.affine import Affine
from tensorlift.targets.mlir_text.operations import ELEMENT_TYPES, tensor_type

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tensorlift.comprehension.tensor import Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import Sample


SIZES = ("m", "n", "k")

# The element types that an operand of a kind is tried with, the plainest first.
KINDS: dict[str, tuple[DType, ...]] = {
    "number": ("f64", "i32", "f32", "i64", "u8", "i16"),
    "arith": ("f64", "i32", "f32", "i64", "u8", "i16"),
    "positive": ("f64", "i32", "f32", "i64", "u8"),
    "sparse": ("i32", "bool", "f64"),
    "tied": ("f64", "i32", "f32", "i64", "u8"),
    "integer": ("i32", "i8", "u8", "i64", "u32"),
    "signed": ("i32", "i64", "i16"),
    "positive_signed": ("i32", "i64", "i16"),
    "int_or_real": ("f64", "i32", "f32", "i64"),
    "real": ("f64", "f32"),
    "positive_real": ("f64", "f32"),
    "fraction": ("f64", "f32"),
    "above_one": ("f64", "f32"),
    "positive_wide_integer": ("i32", "i64", "i16"),
    "count": ("i32",),
}


def sample_types(spec: str, lacks: Collection[str] = ()) -> list[DType]:
    """Return the element types of an operand: those of its kind but for some that a target lacks, or the one named."""
    kind = spec.partition("[")[0]
    return [dtype for dtype in KINDS.get(kind, (kind,)) if dtype not in lacks]  # type: ignore[misc]  # samples name types


def sample_operand(name: str, spec: str, dtype: DType) -> SymbolicTensor:
    """Return an operand of a type, with the extents that its specification names."""
    return array(name, _shape(spec), dtype)


def _shape(spec: str) -> Shape:
    inside = spec.rstrip("]").partition("[")[2]
    return tuple(extent_of(text) for text in inside.split(",") if text.strip())


def extent_of(text: str) -> Affine:
    """Return the size that ``m + 1`` spells."""
    total = Affine(0)
    for sign, name in re.findall(r"([+-]?)\s*(\w+)", text):
        part = Affine(int(name)) if name.isdigit() else Affine.var(name)
        total = total - part if sign == "-" else total + part
    return total


ENTRY = "sample"
_TYPE = re.compile(r"tensor<[^<>]*>")


def sample_dtypes(entry: Sample, lacks: Collection[str] = ()) -> list[dict[str, DType]]:
    """Return the element types to try: those of the first operand, which the others have too unless they name one."""
    specs = entry.operands.items()
    if not specs:
        return [{}]
    listed = [sample_types(spec, lacks) for _, spec in specs]
    return [
        {name: first if len(choices) > 1 else choices[0] for (name, _), choices in zip(specs, listed, strict=True)}
        for first in listed[0]
        if all(first in choices for choices in listed if len(choices) > 1)
    ]


def sample_operands(entry: Sample, dtypes: Mapping[str, DType], sizes: Mapping[str, int]) -> dict[str, SymbolicTensor]:
    """Return the operands of a sample, by name, with their shapes at some sizes."""
    found = {}
    for name, spec in entry.operands.items():
        operand = sample_operand(name, spec, dtypes[name])
        shape = tuple(Affine(extent.evaluate(sizes)) for extent in operand.shape)
        found[name] = array(name, shape, dtypes[name])
    return found


def sample_text(entry: Sample, dtypes: Mapping[str, DType], sizes: Mapping[str, int] = MappingProxyType({})) -> str:
    """Return the text of a sample with its sizes and types."""
    parts = []
    for literal, field, _, _ in Formatter().parse(entry.text):
        parts.append(literal)
        if field is not None and field in dtypes:
            parts.append(str(ELEMENT_TYPES[dtypes[field]]))
        elif field is not None:
            parts.append(str(extent_of(field).evaluate(sizes)))
    return "".join(parts)


def static_program(text: str, operands: Mapping[str, SymbolicTensor]) -> str:
    """Return a function that computes what the text of a sample gives."""
    lines = text.splitlines()
    first = next(k for k, line in enumerate(lines) if not line.startswith("%"))
    lines[first] = f"%result = {lines[first]}"
    kinds = {name: str(tensor_type(_numbers(operand), operand.dtype)) for name, operand in operands.items()}
    result = _TYPE.findall(text)[-1]
    parameters = ", ".join(f"%{name}: {kind}" for name, kind in kinds.items())
    body = "".join(f"  {line}\n" for line in lines)
    return f"func.func @{ENTRY}({parameters}) -> {result} {{\n{body}  return %result : {result}\n}}\n"


def _numbers(operand: SymbolicTensor) -> Sequence[int]:
    return [extent.constant for extent in operand.shape]


_CONSTANTS = "".join(f"  %c{k} = arith.constant {k} : index\n" for k in range(2))


def sample_arguments(entry: Sample, dtypes: Mapping[str, DType]) -> dict[str, SymbolicTensor]:
    """Return the operands of a sample with open extents, and the sizes, by name."""
    operands = {name: sample_operand(name, spec, dtypes[name]) for name, spec in entry.operands.items()}
    return {**operands, **{name: size(Affine.var(name)) for name in SIZES}}


def open_program(name: str, text: str, arguments: Mapping[str, SymbolicTensor], result: str = "") -> str:
    """Return a function that computes what a text gives; it returns that where its type is given."""
    parameters = ", ".join(f"%{argument}: {_type(argument, value, text)}" for argument, value in arguments.items())
    head = f"func.func @{name}({parameters}){f' -> {result}' if result else ''} {{\n{_CONSTANTS}"
    return f"{head}  %result = {text}\n  return{f' %result : {result}' if result else ''}\n}}\n"


def _type(name: str, value: SymbolicTensor, text: str) -> str:
    """Return the type of an argument; what is written over is a tensor, also one of a single number."""
    if not value.is_strong:
        return "index"
    is_tensor = value.rank > 0 or f"outs(%{name} : " in text
    extents = [extent.constant if extent.is_constant else DYNAMIC_INDEX for extent in value.shape]
    kind = tensor_type(extents, value.dtype)
    return str(kind if is_tensor else kind.element_type)
