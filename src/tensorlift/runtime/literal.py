"""Runs literal IR on the arguments of a function's loop IR, so that a lift is compared with what nobody rewrote.

Loop IR has arrays in their logical shapes, and variables at file scope as parameters; literal IR has memory as C lays
it out, with gaps between rows that hold nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, Literal

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
    _Taken = Literal["number", "memory", "row", "size"]


@dataclass(frozen=True, slots=True)
class LiteralRun:
    """A function of literal IR, called by the parameters of its loop IR.

    ``taken`` lists what literal IR takes: a parameter, and whether its number, its memory with an offset of zero, or
    the distance between its rows, by ``axis``; or the size that a dimension of what is returned is to have.
    """

    view: FunctionView
    interpreter: LiteralInterpreter
    taken: tuple[tuple[str, _Taken, int], ...]

    @staticmethod
    def of(view: FunctionView, interpreter: LiteralInterpreter) -> LiteralRun | None:
        """Match a function with its literal IR; None where one takes what the other does not have."""
        taken = tuple(_taken(interpreter.module, view))
        known = {p.literal_name: p for p in view.parameters}
        sizes = {called: one for called, one in view.returned_sizes.items() if one.array in view.literal_names.values()}
        if any(
            name not in (sizes if what == "size" else known)
            or (what != "size" and (known[name].role == "array") is (what == "number"))
            for name, what, _ in taken
        ):
            return None
        left = [p for name, p in known.items() if name not in {name for name, _, _ in taken}]
        reached = all(_symbol(p) in interpreter.memories if _is_outside(p) else p.role == "size" for p in left)
        passed = tuple(
            (sizes[name].array, what, sizes[name].axis) if what == "size" else (known[name].name, what, axis)
            for name, what, axis in taken
        )
        return LiteralRun(view, interpreter, passed) if reached else None

    def __call__(self, arguments: Mapping[str, Any], most_branches: int) -> tuple[dict[str, Array], np.generic | None]:
        """Give the arrays as a call leaves them, and what it returns; the arguments stay as they are.

        Raises ``InterpreterError`` where the run stops, as ``LiteralInterpreter`` does.
        """
        parameters = {p.name: p for p in self.view.parameters}
        sizes = {p.name: int(arguments[p.name]) for p in self.view.parameters if p.role == "size"}
        layouts = {p.name: layout_of(p, sizes) for p in self.view.parameters if p.role == "array"}
        for name, depth in {name: axis + 1 for name, what, axis in self.taken if what == "row"}.items():
            layouts[name] = _apart(layouts[name], depth)
        memories = {name: _cells(arguments[name], layout) for name, layout in layouts.items()}
        for name, parameter in parameters.items():
            if _is_outside(parameter):
                number: Memory = [] if name in memories else [_number(arguments[name], parameter)]
                self.interpreter.memories[_symbol(parameter)] = memories.get(name, number)
        passed: list[Any] = []
        for name, what, axis in self.taken:
            match what:
                case "number":
                    passed.append(_number(arguments[name], parameters[name]))
                case "memory":
                    passed += [memories[name], 0]
                case "row":
                    passed.append(_distance(layouts[name], axis))
                case "size":
                    passed.append(_size(layouts[name], axis, self._rank(name)))
        before = {name: list(cells) for name, cells in self.interpreter.memories.items()}
        try:
            results = self.interpreter(self.view.name, passed, most_branches)
        finally:
            self.interpreter.memories |= before
        after = {name: _elements(memories[name], layouts[name], parameters[name]) for name in memories}
        return after, self._returned(results)

    def _rank(self, array: str) -> int:
        return next(one.rank for one in self.view.returned_sizes.values() if one.array == array)

    def _returned(self, results: tuple[Any, ...]) -> np.generic | None:
        if self.view.result_dtype is None:
            return None
        dtype = NUMPY_TYPES[self.view.result_dtype]
        result: np.generic = dtype.type(np.array(results[0], _signed(dtype)).view(dtype))
        return result


def _taken(module: ModuleOp, view: FunctionView) -> Iterator[tuple[str, _Taken, int]]:
    """Yield what a function takes, without the offsets, of which each comes after its memory."""
    function = function_named(module, view.name)
    marks: Any = function.arg_attrs or ()
    is_offset = False
    for argument, mark in zip(function.body.blocks[0].args, marks, strict=True):
        called, is_memory = mark.data["tl.name"].data, isinstance(argument.type, MemRefType)
        table, row, more = called.partition(ROW)
        if row:
            yield table, "row", more.count(ROW)
        elif called in view.returned_sizes:
            yield called, "size", 0
        elif not is_offset:
            yield called, "memory" if is_memory else "number", 0
        is_offset = is_memory


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


def _apart(layout: Layout, depth: int) -> Layout:
    """Lay out the rows of a table with gaps, so that a read behind the end of a row is found out."""
    strides = list(layout.strides)
    for axis in reversed(range(depth)):
        inner = strides[axis + 1] if axis + 1 < len(strides) else 1
        strides[axis] = (
            (2 * -(-layout.strides[axis] // inner) + 1) * inner
            if axis == depth - 1
            else (2 * layout.shape[axis + 1] + 1) * inner
        )
    return replace(layout, strides=tuple(strides))


def _distance(layout: Layout, axis: int) -> int:
    """Give how far the rows of a table are apart, counted in what lies inside of them."""
    inner = layout.strides[axis + 1] if axis + 1 < len(layout.strides) else 1
    return layout.strides[axis] // inner


def _size(layout: Layout, axis: int, rank: int) -> int:
    """Give the size of a dimension of a container, whose last one may hold several of the array."""
    return prod(layout.shape[axis:]) if axis == rank - 1 else layout.shape[axis]


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
