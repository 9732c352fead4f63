"""Runs literal IR on the arguments of a function's loop IR, so that a lift is compared with what nobody rewrote.

Loop IR has arrays in their logical shapes, and variables at file scope as parameters; literal IR has memory as C lays
it out, with gaps between rows that hold nothing.  So are memrefs laid out, between whose rows there may be gaps.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from xdsl.dialects.builtin import MemRefType, ModuleOp, i1

from tensorlift.ir.function import FAILS, NULL, ROW, SAME, SIZE, FunctionView, Parameter, function_named
from tensorlift.ir.literal_function import argument_names
from tensorlift.ir.literal_interpreter import UndefinedError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.runtime.layout import Layout, layout_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tensorlift.ir.literal_interpreter import LiteralInterpreter, Memory
    from tensorlift.runtime.compare import Array


@dataclass(frozen=True, slots=True)
class LiteralRun:
    """A function of literal IR, called by the parameters of its loop IR.

    ``taken`` lists what literal IR takes.  Cells of ``truths`` are integers of one bit; ``returned`` are arrays that
    the function makes.
    """

    view: FunctionView
    interpreter: LiteralInterpreter
    taken: tuple[_Taken, ...]
    truths: frozenset[str]
    returned: tuple[str, ...]

    @staticmethod
    def of(view: FunctionView, interpreter: LiteralInterpreter) -> LiteralRun | None:
        """Match a function with its literal IR; None where one takes what the other does not have.

        A function that is generalised is another one than its literal IR, which has the constants.
        """
        taken = tuple(_taken(interpreter.module, view))
        known = {p.name: p for p in view.parameters}
        if view.generalised or not all(
            one.name in known and (known[one.name].role == "array") is (one.what != "number") for one in taken
        ):
            return None
        given = {one.name for one in taken}
        left = [p for p in view.parameters if p.name not in given]
        returned = tuple(p.name for p in left if p.role == "array" and not _is_outside(p))
        results = function_named(interpreter.module, view.name).function_type.outputs.data
        reached = all(_symbol(p) in interpreter.memories for p in left if _is_outside(p))
        reached &= all(p.role != "scalar" or _is_outside(p) for p in left)
        reached &= len(returned) == sum(isinstance(of_type, MemRefType) for of_type in results)
        truths = frozenset(one.name for one in taken if one.is_truth)
        return LiteralRun(view, interpreter, taken, truths, returned) if reached else None

    def __call__(self, arguments: Mapping[str, Any], most_branches: int) -> tuple[dict[str, Array], np.generic | None]:
        """Give the arrays as a call leaves them, and what it returns; the arguments stay as they are.

        Raises ``InterpreterError`` where the run stops, as ``LiteralInterpreter`` does.
        """
        parameters = {p.name: p for p in self.view.parameters}
        sizes = {p.name: int(arguments[p.name]) for p in self.view.parameters if p.role == "size"}
        layouts = {p.name: layout_of(p, sizes) for p in self.view.parameters if p.role == "array"}
        rows = [one for one in self.taken if one.what == "row"]
        layouts |= {r.name: _apart(layouts[r.name], {o.axis for o in rows if o.name == r.name}, r.end) for r in rows}
        memories = {name: _cells(arguments[name], layout) for name, layout in layouts.items()}
        for name in {one.array for one in self.view.returned_sizes.values()} & memories.keys():
            memories[name] = [None] * len(memories[name])  # the caller makes it, and it holds nothing yet
        for name in self.truths & memories.keys():
            memories[name] = [None if cell is None else -cell for cell in memories[name]]
        for name, parameter in parameters.items():
            if _is_outside(parameter):
                number: Memory = [] if name in memories else [_number(arguments[name], parameter)]
                self.interpreter.memories[_symbol(parameter)] = memories.get(name, number)
        passed: list[Any] = []
        for one in self.taken:
            if one.what == "number":
                given = _number(arguments[one.name], parameters[one.name])
                passed.append(-given if one.is_truth else given)
            elif one.what == "memory":
                passed += [memories[one.name], 0]
            elif one.what == "null":
                passed.append(0)
            else:
                passed.append(one.extent_of(layouts[one.name]))
        before = {name: list(cells) for name, cells in self.interpreter.memories.items()}
        try:
            results = self.interpreter(self.view.name, passed, most_branches)
        finally:
            self.interpreter.memories |= before
        made = iter(self.returned)
        memories |= {next(made): one for one in results if isinstance(one, list)}
        for name in self.truths & memories.keys():
            memories[name] = [None if cell is None else -cell for cell in memories[name]]
        after = {name: _elements(memories[name], layouts[name], parameters[name]) for name in memories}
        return after, self._returned([one for one in results if not isinstance(one, list)])

    def _returned(self, results: Sequence[Any]) -> np.generic | None:
        if self.view.result_dtype is None:
            return None
        dtype = NUMPY_TYPES[self.view.result_dtype]
        returned = abs(results[0]) if dtype.kind == "b" else results[0]  # true may be -1
        result: np.generic = dtype.type(np.array(returned, _signed(dtype)).view(dtype))
        return result


class _Taken(NamedTuple):
    """What literal IR takes of a parameter: its number, its memory with an offset of zero, a distance, or a size.

    A distance is that along an ``axis``, in elements; in a table of C++ it is counted in rows of the next axis, but for
    the last one before ``end``.  A size is the product of the extents from ``axis`` to ``end``.
    """

    name: str
    what: Literal["number", "memory", "row", "size", "null"]
    axis: int = 0
    end: int | None = None
    is_truth: bool = False

    def extent_of(self, layout: Layout) -> int:
        """Give a distance or a size."""
        if self.what == "size":
            return prod(layout.shape[self.axis : self.end])
        is_counted = self.end is not None and self.axis + 1 < self.end
        return layout.strides[self.axis] // (layout.strides[self.axis + 1] if is_counted else 1)


def _taken(module: ModuleOp, view: FunctionView) -> Iterator[_Taken]:
    """Yield what a function takes, without the offset that comes after each memory."""
    function, names, sizes = function_named(module, view.name), view.literal_names, view.returned_sizes
    taken = argument_names(function)
    tables = Counter(called.partition(ROW)[0] for called in taken)
    is_offset = False
    for argument, called in zip(function.body.blocks[0].args, taken, strict=True):
        of_type = argument.type
        is_memory = isinstance(of_type, MemRefType)
        found, table, expected = _OF_ARRAYS.fullmatch(called), called.partition(ROW), sizes.get(called)
        if called.endswith(NULL) or SAME in called or called == FAILS:
            yield _Taken(names.get(called.removesuffix(NULL).partition(SAME)[0], ""), "null")
        elif found is not None:
            axis, is_row = int(found[2]), found[3] == ROW
            yield (
                _Taken(names.get(found[1], ""), "row", axis)
                if is_row
                else _Taken(names.get(found[1], ""), "size", axis, axis + 1)
            )
        elif table[1]:
            yield _Taken(names.get(table[0], ""), "row", table[2].count(ROW), tables[table[0]] - 1)
        elif expected is not None:
            end = None if expected.axis == expected.rank - 1 else expected.axis + 1
            yield _Taken(expected.array, "size", expected.axis, end)
        elif not is_offset:
            element = of_type.get_element_type() if isinstance(of_type, MemRefType) else of_type
            what: Literal["memory", "number"] = "memory" if is_memory else "number"
            yield _Taken(names.get(called, ""), what, is_truth=element == i1)
        is_offset = is_memory


# The names of strides and sizes of a memref: ``a.0 row`` and ``a.0 size``.
_OF_ARRAYS = re.compile(rf"(.*?)\.(\d+)({ROW}|{SIZE})")


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


def _apart(layout: Layout, axes: Collection[int], end: int | None) -> Layout:
    """Lay an array out with gaps along some axes, so that a read behind the end of a row is found out.

    The rows of a table of C++, which has them along all axes before ``end``, are apart by so many of the next axis.
    """
    strides: list[int] = []
    inner = 1  # what the cells along the axes so far take
    for axis in reversed(range(len(layout.shape))):
        unit = strides[0] if end is not None and axis + 1 < end else 1
        strides.insert(0, (2 * inner // unit + 1) * unit if axis in axes else inner)
        inner = strides[0] * layout.shape[axis]
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
