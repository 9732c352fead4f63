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
    _Taken = Literal["number", "memory", "row"]


@dataclass(frozen=True, slots=True)
class LiteralRun:
    """A function of literal IR, called by the parameters of its loop IR.

    ``taken`` lists what literal IR takes: a parameter, and whether its number, its memory with an offset of zero, or
    the distance between its rows.
    """

    view: FunctionView
    interpreter: LiteralInterpreter
    taken: tuple[tuple[str, _Taken], ...]

    @staticmethod
    def of(view: FunctionView, interpreter: LiteralInterpreter) -> LiteralRun | None:
        """Match a function with its literal IR; None where one takes what the other does not have."""
        taken = tuple(_taken(interpreter.module, view.name))
        known = {p.literal_name: p for p in view.parameters}
        if any(name not in known or (known[name].role == "array") is (what == "number") for name, what in taken):
            return None
        left = [p for name, p in known.items() if name not in dict(taken)]
        reached = all(_symbol(p) in interpreter.memories if _is_outside(p) else p.role == "size" for p in left)
        passed = tuple((known[name].name, what) for name, what in taken)
        return LiteralRun(view, interpreter, passed) if reached else None

    def __call__(self, arguments: Mapping[str, Any], most_branches: int) -> tuple[dict[str, Array], np.generic | None]:
        """Give the arrays as a call leaves them, and what it returns; the arguments stay as they are.

        Raises ``InterpreterError`` where the run stops, as ``LiteralInterpreter`` does.
        """
        parameters = {p.name: p for p in self.view.parameters}
        sizes = {p.name: int(arguments[p.name]) for p in self.view.parameters if p.role == "size"}
        layouts = {p.name: layout_of(p, sizes) for p in self.view.parameters if p.role == "array"}
        layouts |= {name: _apart(layouts[name]) for name, what in self.taken if what == "row"}
        memories = {name: _cells(arguments[name], layout) for name, layout in layouts.items()}
        for name, parameter in parameters.items():
            if _is_outside(parameter):
                number: Memory = [] if name in memories else [_number(arguments[name], parameter)]
                self.interpreter.memories[_symbol(parameter)] = memories.get(name, number)
        passed: list[Any] = []
        for name, what in self.taken:
            if what == "number":
                passed.append(_number(arguments[name], parameters[name]))
            else:
                passed += [memories[name], 0] if what == "memory" else [layouts[name].strides[0]]
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


def _taken(module: ModuleOp, name: str) -> Iterator[tuple[str, _Taken]]:
    """Yield what a function takes, without the offsets, of which each comes after its memory."""
    function = function_named(module, name)
    marks: Any = function.arg_attrs or ()
    is_offset = False
    for argument, mark in zip(function.body.blocks[0].args, marks, strict=True):
        called, is_memory = mark.data["tl.name"].data, isinstance(argument.type, MemRefType)
        table = called.removesuffix(ROW)
        if table != called:
            yield table, "row"
        elif not is_offset:
            yield called, "memory" if is_memory else "number"
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


def _apart(layout: Layout) -> Layout:
    """Lay out the rows of a table with gaps, so that a read behind the end of a row is found out."""
    return replace(layout, strides=(2 * layout.strides[0] + 1, *layout.strides[1:]))


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
