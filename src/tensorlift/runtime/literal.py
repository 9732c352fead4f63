"""Runs literal IR on the arguments of a function's loop IR, so that a lift is compared with what nobody rewrote.

Loop IR has arrays in their logical shapes, and variables at file scope as parameters; literal IR has memory as C lays
it out, with gaps between rows that hold nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from xdsl.dialects.builtin import MemRefType

from tensorlift.ir.function import ROW, function_named
from tensorlift.ir.literal_interpreter import UndefinedError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.runtime.layout import Layout, layout_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.ir.function import FunctionView, Parameter
    from tensorlift.ir.literal_interpreter import LiteralInterpreter, Memory

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class LiteralRun:
    """A function of literal IR, called by the parameters of its loop IR.

    ``taken`` lists what literal IR takes.
    """

    view: FunctionView
    interpreter: LiteralInterpreter
    taken: tuple[_Taken, ...]

    @staticmethod
    def of(view: FunctionView, interpreter: LiteralInterpreter) -> LiteralRun | None:
        """Match a function with its literal IR; None where one takes what the other does not have."""
        taken = tuple(_taken(interpreter.module, view))
        known = {p.name: p for p in view.parameters}
        if any(
            item.name not in known or (known[item.name].role == "array") is (item.what == "number") for item in taken
        ):
            return None
        left = [p for name, p in known.items() if name not in {item.name for item in taken}]
        reached = all(_symbol(p) in interpreter.memories if _is_outside(p) else p.role == "size" for p in left)
        return LiteralRun(view, interpreter, taken) if reached else None

    def __call__(self, arguments: Mapping[str, Any], most_branches: int) -> tuple[dict[str, Array], np.generic | None]:
        """Give the arrays as a call leaves them, and what it returns; the arguments stay as they are.

        Raises ``InterpreterError`` where the run stops, as ``LiteralInterpreter`` does.
        """
        parameters = {p.name: p for p in self.view.parameters}
        sizes = {p.name: int(arguments[p.name]) for p in self.view.parameters if p.role == "size"}
        layouts = {p.name: layout_of(p, sizes) for p in self.view.parameters if p.role == "array"}
        for item in self.taken:
            if item.what == "row" and item.axis + 1 == item.end:
                layouts[item.name] = _apart(layouts[item.name], item.axis)
        memories = {name: _cells(arguments[name], layout) for name, layout in layouts.items()}
        for name in {one.array for one in self.view.returned_sizes.values()} & memories.keys():
            memories[name] = [None] * len(memories[name])  # the caller makes it, and it holds nothing yet
        for name, parameter in parameters.items():
            if _is_outside(parameter):
                number: Memory = [] if name in memories else [_number(arguments[name], parameter)]
                self.interpreter.memories[_symbol(parameter)] = memories.get(name, number)
        passed = [part for item in self.taken for part in _passed(item, arguments, parameters, layouts, memories)]
        before = {name: list(cells) for name, cells in self.interpreter.memories.items()}
        try:
            results = self.interpreter(self.view.name, passed, most_branches)
        finally:
            self.interpreter.memories |= before
        after = {name: _elements(memories[name], layouts[name], parameters[name]) for name in memories}
        return after, self._returned(results)

    def _returned(self, results: tuple[Any, ...]) -> np.generic | None:
        if self.view.result_dtype is None:
            return None
        dtype = NUMPY_TYPES[self.view.result_dtype]
        result: np.generic = dtype.type(np.array(results[0], _signed(dtype)).view(dtype))
        return result


class _Taken(NamedTuple):
    """What literal IR takes of a parameter: its number, its memory with an offset of zero, or the distance of its rows.

    Distances are those of an ``axis`` counted in rows of the next one, in elements at the last axis before ``end``.  Of
    what is returned, it takes a size besides: the product of the extents from ``axis`` to ``end``.
    """

    name: str
    what: Literal["number", "memory", "row", "size"]
    axis: int = 0
    end: int | None = None


def _taken(module: ModuleOp, view: FunctionView) -> Iterator[_Taken]:
    """Yield what a function takes, without the offsets, of which each comes after its memory."""
    function, names = function_named(module, view.name), view.literal_names
    marks: Any = function.arg_attrs or ()
    tables = Counter(mark.data["tl.name"].data.partition(ROW)[0] for mark in marks if ROW in mark.data["tl.name"].data)
    is_offset = False
    for argument, mark in zip(function.body.blocks[0].args, marks, strict=True):
        called, is_memory = mark.data["tl.name"].data, isinstance(argument.type, MemRefType)
        table, row, more = called.partition(ROW)
        one = view.returned_sizes.get(called)
        if row:
            yield _Taken(names.get(table, table), "row", more.count(ROW), tables[table])
        elif one is not None:
            yield _Taken(one.array, "size", one.axis, None if one.axis == one.rank - 1 else one.axis + 1)
        elif not is_offset:
            yield _Taken(names.get(called, ""), "memory" if is_memory else "number")
        is_offset = is_memory


def _passed(
    item: _Taken,
    arguments: Mapping[str, Any],
    parameters: Mapping[str, Parameter],
    layouts: Mapping[str, Layout],
    memories: Mapping[str, Memory],
) -> list[Any]:
    """Give what is passed for one thing that is taken."""
    name = item.name
    match item.what:
        case "number":
            return [_number(arguments[name], parameters[name])]
        case "memory":
            return [memories[name], 0]
        case "row":
            inner = 1 if item.axis + 1 == item.end else layouts[name].strides[item.axis + 1]
            return [layouts[name].strides[item.axis] // inner]
    return [prod(layouts[name].shape[item.axis : item.end])]


def _is_outside(parameter: Parameter) -> bool:
    """Whether a parameter is a variable at file scope."""
    return parameter.literal_name.startswith("@")


def _symbol(parameter: Parameter) -> str:
    """Give the name of the variable at file scope that a parameter stands for."""
    return parameter.access.removesuffix("[]")


def _signed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"i{dtype.itemsize}") if dtype.kind in "bu" else dtype


def _number(value: Any, parameter: Parameter) -> int | float:
    """Give a number as the interpreter has it: integers in the signed range of their width."""
    dtype = NUMPY_TYPES[parameter.dtype]
    try:
        number: int | float = np.array(value, dtype).view(_signed(dtype)).item()
    except OverflowError:
        raise UndefinedError(f"{parameter.name} cannot be {value}", parameter.location) from None
    return number


def _apart(layout: Layout, last: int) -> Layout:
    """Lay out the rows of a table with gaps, so that a read behind the end of a row is found out."""
    strides = list(layout.strides)
    strides[last] = 2 * layout.strides[last] + 1
    for axis in reversed(range(last)):
        strides[axis] = (2 * layout.shape[axis + 1] + 1) * strides[axis + 1]
    return replace(layout, strides=tuple(strides))


def _cells(array: Array, layout: Layout) -> Memory:
    """Lay an array out as C does; the gaps between its rows hold nothing."""
    signed = np.ascontiguousarray(array).view(_signed(array.dtype))
    if layout.strides == tuple(prod(layout.shape[k + 1 :]) for k in range(len(layout.shape))):
        return signed.ravel().tolist()
    flat: Array = np.full(layout.span, None, dtype=object)
    if array.size:
        strides = [stride * flat.itemsize for stride in layout.strides]
        np.lib.stride_tricks.as_strided(flat, array.shape, strides)[...] = signed.astype(object)
    return list(flat)


def _elements(cells: Memory, layout: Layout, parameter: Parameter) -> Array:
    """Take the elements of an array out of its memory."""
    dtype = NUMPY_TYPES[parameter.dtype]
    if not cells:
        return np.zeros(layout.shape, dtype)
    flat = np.array([0 if cell is None else cell for cell in cells], _signed(dtype))
    strides = [stride * flat.itemsize for stride in layout.strides]
    return np.lib.stride_tricks.as_strided(flat, layout.shape, strides).copy().view(dtype)
