"""Emitting NumPy: the spelling of what other libraries with NumPy's interface do not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.stores import in_place, is_variable
from tensorlift.ir.tensor_program import Contraction, Literal, Range, Reverse, Subscript, Windows
from tensorlift.ops.dtypes import is_integer
from tensorlift.targets.python_text import spelling
from tensorlift.targets.python_text.arrays import contraction_text, einsum_text, library_of
from tensorlift.targets.python_text.emission import Emission, Memory
from tensorlift.targets.python_text.text import Text, call

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import (
        Assign,
        Elementwise,
        Expression,
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


_LIBRARY = library_of(
    "np",
    "NumPy",
    {Contraction: _contraction, Windows: _windows},
    function=_function,
    accumulations={
        "sum": "np.cumsum", "prod": "np.cumprod", "max": "np.maximum.accumulate", "min": "np.minimum.accumulate",
        "fmax": "np.fmax.accumulate", "fmin": "np.fmin.accumulate", "any": "np.logical_or.accumulate",
        "all": "np.logical_and.accumulate",
    },
)  # fmt: skip


class _NumpyEmission(Emission):
    library = _LIBRARY
    reserved = frozenset({"np", "sliding_window_view", "isinstance", "int", "ValueError"})

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
        return super().named(statement, name)

    def stored(self, statement: SetSlice, name: str) -> tuple[str, str]:
        """Spell a store into slices; into one axis, a view of the same memory is copied before (see `Overlaps`)."""
        head, value = super().stored(statement, name)
        update, _ = in_place(statement)
        is_lost = self._memory.is_shared(statement, statement.value) and not _is_old(statement)
        return head, value if update or not is_lost else f"{self.spell(statement.value).atom}.copy()"


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
