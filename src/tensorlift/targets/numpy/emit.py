"""Emitting NumPy: the spelling of what other libraries with NumPy's interface do not have."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tensorlift.ir.segments import Segments, Spread
from tensorlift.ir.stores import in_place, is_variable
from tensorlift.ir.tensor_program import (
    At,
    Contraction,
    Elementwise,
    Literal,
    Range,
    Reverse,
    Subscript,
    Variable,
    Windows,
)
from tensorlift.ops.dtypes import NARROW, is_integer
from tensorlift.ops.scalar_ops import neutral
from tensorlift.poly.affine import ONE
from tensorlift.targets.numpy.helpers import HELPERS
from tensorlift.targets.python_text import spelling
from tensorlift.targets.python_text.arrays import contraction_text, einsum_text, is_narrow, library_of, spread
from tensorlift.targets.python_text.emission import UPDATE_SIGNS, Emission, Memory
from tensorlift.targets.python_text.taps import product_text
from tensorlift.targets.python_text.text import Precedence, Text, call, is_shortened

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import (
        Assign,
        Expression,
        Scatter,
        SetSlice,
        SubscriptItem,
        TensorProgram,
    )
    from tensorlift.targets.emitted import Emitted
    from tensorlift.targets.python_text.spelling import Spelling


def emit(program: TensorProgram) -> Emitted:
    """Return the program as Python source over NumPy.

    Raises:
        LiftError: TL305 where NumPy has no such function, TL306 where the program returns nothing.

    """
    return _NumpyEmission(program).emit()


def _function(spell: Spelling, node: Elementwise) -> Text:
    """Spell a scalar function; by a positive number, an array is divided several times faster than by ``tdiv``."""
    dividend, *divisors = node.arguments
    if node.op != "tdiv" or not dividend.shape or not all(map(_is_positive, divisors)):
        return spelling.function(spell, node)
    spell.used["tdiv_positive"] = None
    left, right = spell.operands(node)
    divisor = right if node.dtype == "i64" else spell.converted(right, node.dtype)  # a truth value times b is a b
    return call("tdiv_positive", left, divisor)


def _contraction(spell: Spelling, node: Contraction) -> Text:
    """Spell a sum of products; that of integers is several times slower with ``@``, which has no BLAS for it."""
    taps = product_text(spell, node, least=2)
    if taps is not None:
        return taps
    return einsum_text(spell, node) if is_integer(node.dtype) else contraction_text(spell, node)


def _windows(spell: Spelling, node: Windows) -> Text:
    """Spell windows along axes."""
    spell.used["sliding_window_view"] = None
    extents = spell.shape(node.extents)
    whole = node.axes == tuple(range(node.argument.rank))
    axis = "" if whole else str(node.axes[0] if len(node.axes) == 1 else node.axes)
    return call("sliding_window_view", spell(node.argument), extents, axis=axis)


def _is_positive(node: Expression) -> bool:
    return isinstance(node, Literal) and not isinstance(node.value, str) and node.value > 0


_SEGMENTS = {
    "sum": "np.add", "prod": "np.multiply", "max": "np.maximum", "min": "np.minimum", "any": "np.logical_or",
    "all": "np.logical_and",
}  # fmt: skip


def _segments(spell: Spelling, node: Segments) -> Text:
    """Spell folds between bounds; a cell that changes nothing is there for bounds behind the last one."""
    ends = [ONE if axis == node.axis else extent for axis, extent in enumerate(node.argument.shape)]
    nothing, shape = neutral(node.op, node.dtype), spell.shape(tuple(ends))
    dtype = "" if node.dtype == "f64" else spell.dtype(node.dtype)
    if nothing in {0, 1}:
        more = call("np.ones" if nothing else "np.zeros", shape, dtype=dtype).source
    else:
        infinite = {"inf": "np.inf", "-inf": "-np.inf"}
        more = call("np.full", shape, infinite.get(str(nothing), str(nothing)), dtype=dtype).source
    axis = f", axis={node.axis}" if node.axis else ""
    cells = f"np.concatenate(({spell(node.argument).source}, {more}){axis})"
    folded = call(
        f"{_SEGMENTS[node.op]}.reduceat", Text(cells), spell(node.index), *([str(node.axis)] if node.axis else []),
        dtype=spell.dtype(node.dtype) if node.op in ("sum", "prod") and is_narrow(node.dtype) else "",
    )  # fmt: skip
    return Text(f"{folded.atom}[{':, ' * node.axis}:-1]")


_LIBRARY = library_of(
    "np",
    "NumPy",
    {Contraction: _contraction, Windows: _windows, Segments: _segments, Spread: spread},
    function=_function,
    accumulations={
        "sum": "np.cumsum", "prod": "np.cumprod", "max": "np.maximum.accumulate", "min": "np.minimum.accumulate",
        "fmax": "np.fmax.accumulate", "fmin": "np.fmin.accumulate", "any": "np.logical_or.accumulate",
        "all": "np.logical_and.accumulate",
    },
)  # fmt: skip


_UPDATES = {"add": "np.add.at", "mul": "np.multiply.at", "max": "np.maximum.at", "min": "np.minimum.at"}


class _NumpyEmission(Emission):
    library = _LIBRARY
    reserved = frozenset({"np", "sliding_window_view", "isinstance", "int", "ValueError", *HELPERS})
    helpers = MappingProxyType(HELPERS)

    def __init__(self, program: TensorProgram) -> None:
        self._memory = Memory()
        super().__init__(program)

    def imports(self) -> list[str]:
        """Import NumPy, and its windows where they are used."""
        lines = ["import numpy as np"]
        if "sliding_window_view" in self.spell.used:
            lines.append("from numpy.lib.stride_tricks import sliding_window_view")
        return lines

    def named(self, statement: Assign, name: str) -> tuple[str, str] | None:
        """Spell an assignment to a name, and follow in whose memory it lies."""
        self._memory.assign(statement)
        spell = self._chosen if statement.name in self.spell.numbers else self.spell
        return f"{name} =", spell(statement.value).source

    def stored(self, statement: SetSlice, name: str) -> tuple[str, str]:
        """Spell a store into slices; into one axis, a view of the same memory is copied before (see `Overlaps`)."""
        update, value = in_place(statement)
        is_lost = not update and self._memory.is_shared(statement, value) and not _is_old(statement)
        text = f"{self.spell(value).atom}.copy()" if is_lost else self._chosen(value).source
        return self.head(statement, name, update), text

    def scattered(self, node: Scatter, name: str) -> tuple[str, str]:
        """Spell an update at index arrays: a function's, unless there is one place, or values are only stored."""
        value, places = self.spell(node.value), self.places(node)
        if node.op == "set" or (node.op in UPDATE_SIGNS and not any(index.shape for index in node.indices)):
            return f"{name}[{', '.join(places)}] {UPDATE_SIGNS.get(node.op, '=')} ", value.source
        if self._needs_type(node.value):
            self.spell.want_typed((node.value,))
            value = self.spell.converted(value, node.dtype)
        if node.rank == len(node.value.shape) == 1 and any(len(index.shape) > 1 for index in node.indices):
            value = Text(f"{value.atom}[None]")  # a row is not broadcast to them
        listed = ", ".join("slice(None)" if place == ":" else place for place in places)
        return "", f"{_UPDATES[node.op]}({name}, {listed if len(places) == 1 else f'({listed})'}, {value.source})"

    def _needs_type(self, value: Expression) -> bool:
        """Tell whether a Python number, which is one of 64 bits with a sign to ``np.add.at``, is another one there."""
        is_held = isinstance(value, Literal) and not is_shortened(value.value, value.dtype)
        return self.spell.is_python(value) and (value.dtype == "u64" or (value.dtype in NARROW and not is_held))

    def _chosen(self, node: Expression) -> Text:
        """Spell a value for a place that takes numbers of either kind: Python itself chooses between numbers."""
        if not _is_choice(node):
            return self.spell(node)
        condition, chosen, other = node.operands
        then, when = self._chosen(chosen).within(Precedence.OR), self.spell(condition).within(Precedence.OR)
        return Text(f"{then} if {when} else {self._chosen(other)}", Precedence.CONDITIONAL)


def _is_choice(node: Expression) -> bool:
    """Tell whether a value is one of two numbers, of types that Python has too."""
    is_selection = isinstance(node, Elementwise) and node.op == "select" and not node.shape
    return is_selection and node.dtype in {"f64", "i64"} and all(map(_is_number, node.operands[1:]))


def _is_number(node: Expression) -> bool:
    """Tell whether the text of a value gives a number, and no array of rank 0."""
    if isinstance(node, Elementwise) and node.op == "select":
        return _is_choice(node)
    is_cell = isinstance(node, Subscript) and all(isinstance(item, At) for item in node.items)
    is_python = isinstance(node, Variable) and node.is_weak
    return not node.shape and (is_cell or is_python or isinstance(node, Elementwise | Literal))


def _is_old(statement: SetSlice) -> bool:
    """Tell whether NumPy stores a view of the same memory as it was before."""
    written, value = _steps(statement.items, len(statement.shape)), statement.value
    if sum(map(bool, written)) != 1 or not value.rank:
        return True
    if not isinstance(value, Subscript) or value.rank != 1 or not is_variable(value.argument, statement.name):
        return False
    read = _steps(value.items, value.argument.rank)
    return all(step == other or step * other < 0 for step, other in zip(written, read, strict=False))


def _steps(items: tuple[SubscriptItem, ...], rank: int) -> list[int]:
    """Return the step along each axis, zero where a subscript drops it or adds it; axes behind them are whole."""
    steps = [item.step if isinstance(item, Range) else -isinstance(item, Reverse) for item in items]
    return steps + [1] * (rank - len(steps))
