"""Samples of rows as whole functions, with open extents: sizes are their parameters."""

from __future__ import annotations

from string import Formatter
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.tensor import size
from tensorlift.targets.linalg.writer import element_type, tensor_type
from tensorlift.targets.samples import SIZES, sample_operand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.tensor import SymbolicTensor
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import Sample

_CONSTANTS = "".join(f"  %c{k} = arith.constant {k} : index\n" for k in range(2))


def sample_arguments(entry: Sample, dtypes: Mapping[str, DType]) -> dict[str, SymbolicTensor]:
    """Return the operands of a sample, and the sizes, by name."""
    operands = {name: sample_operand(name, spec, dtypes[name]) for name, spec in entry.operands.items()}
    return {**operands, **{name: size(Affine.var(name)) for name in SIZES}}


def sample_text(entry: Sample, dtypes: Mapping[str, DType]) -> str:
    """Return the text of a sample with the element types of its operands."""
    parts = []
    for literal, field, _, _ in Formatter().parse(entry.text):
        parts += [literal, "" if field is None else element_type(dtypes[field])]
    return "".join(parts)


def sample_program(name: str, text: str, arguments: Mapping[str, SymbolicTensor], result: str = "") -> str:
    """Return a function that computes what a text gives; it returns that where its type is given."""
    parameters = ", ".join(f"%{argument}: {_type(argument, value, text)}" for argument, value in arguments.items())
    head = f"func.func @{name}({parameters}){f' -> {result}' if result else ''} {{\n{_CONSTANTS}"
    return f"{head}  %result = {text}\n  return{f' %result : {result}' if result else ''}\n}}\n"


def _type(name: str, value: SymbolicTensor, text: str) -> str:
    """Return the type of an argument; what is written over is a tensor, also one of a single number."""
    if not value.is_strong:
        return "index"
    is_tensor = value.rank > 0 or f"outs(%{name} : " in text
    return tensor_type(value.shape, value.dtype) if is_tensor else element_type(value.dtype)
